import {
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  ActionTicket,
  ActionTickets,
  TicketAnswer,
} from '../../domain/tasks/action-tickets.ts'

type Request = ServerContext['mcpReq']

/** How a user is asked in one version of the protocol. */
export interface Conversation {
  /** The answer that came with this request to the last question about the ticket. */
  readonly answerTo: (ticket: ActionTicket, request: Request) => TicketAnswer | undefined
  /** Asks, and returns the answer, or what the client has to answer in its next request. */
  readonly ask: (
    question: string,
    text: string,
    request: Request,
  ) => Promise<TicketAnswer | InputRequiredResult>
}

const key = 'confirm'

/** The form that the client shows. */
const toForm = (message: string) => ({
  message,
  requestedSchema: {
    type: 'object' as const,
    properties: { [key]: { type: 'boolean' as const, title: 'Yes, do it', default: false } },
    required: [key],
  },
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Anything but a clear yes is a no. */
export function readAnswer(result: unknown): TicketAnswer {
  const content = isObject(result) && result['action'] === 'accept' ? result['content'] : undefined
  return isObject(content) && content[key] === true ? 'accepted' : 'declined'
}

/** 2026-07-28: the question is the result of the call, and the client repeats the call with the answer. */
export const conversationInRounds: Conversation = {
  answerTo({ question }, { requestState, inputResponses }) {
    const answer = inputResponses?.[key]
    if (question === '' || requestState() !== question || answer === undefined) return undefined
    return readAnswer(answer)
  },
  ask: async (question, text) =>
    inputRequired({
      inputRequests: { [key]: inputRequired.elicit(toForm(text)) },
      requestState: question,
    }),
}

/** Milliseconds between looks for an answer, which may have reached another process. */
const pollInterval = 300

type SendQuestion = (message: {
  readonly jsonrpc: '2.0'
  readonly id: string
  readonly method: 'elicitation/create'
  readonly params: Record<string, unknown>
}) => Promise<void>

interface Parts {
  readonly send: SendQuestion
  readonly findAnswer: ActionTickets['findAnswer']
  readonly signal: AbortSignal
}

/** 2025-11-25: the question is a request on the stream of the call, and the answer comes in a request of its own. */
export const conversationOnStream = ({ send, findAnswer, signal }: Parts): Conversation => ({
  answerTo: () => undefined,
  async ask(question, text) {
    await send({ jsonrpc: '2.0', id: question, method: 'elicitation/create', params: toForm(text) })
    for (;;) {
      const answer = await findAnswer(question)
      if (answer !== undefined) return answer
      await pause(pollInterval, undefined, { signal })
    }
  },
})
