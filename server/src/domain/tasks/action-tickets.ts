import type { ServerAction, TaskParameters } from '@muster/contract'
import type { Clock } from '../clock.ts'
import { PlatformError } from '../error.ts'
import { newId } from '../new-id.ts'

/** How long a previewed action can be performed, in milliseconds. */
export const ticketLifetime = 600_000

/** Tickets of a user that were neither used nor have expired. */
const maxOpenTickets = 20

export interface TicketServer {
  readonly id: string
  readonly name: string
  readonly version: number
}

/** A previewed action that its user can perform once, after they were asked. */
export interface ActionTicket {
  readonly id: string
  readonly user_id: string
  readonly action: ServerAction
  readonly params: TaskParameters
  /** As they were in the preview. */
  readonly servers: readonly TicketServer[]
  /** The id of the last question to the user; empty before the first. */
  readonly question: string
  readonly answer: TicketAnswer | ''
  readonly created_at: number
  readonly expires_at: number
  readonly used_at: number | null
}

export type TicketAnswer = 'accepted' | 'declined'

export interface TicketStore {
  insert(ticket: ActionTicket): Promise<void>
  countOpen(userId: string, now: number): Promise<number>
  find(id: string): Promise<ActionTicket | undefined>
  /** Undefined if it is no longer the last question. */
  findByQuestion(question: string): Promise<ActionTicket | undefined>
  /** False if the ticket was answered, used or has expired. */
  setQuestion(id: string, question: string, now: number): Promise<boolean>
  /** False if the question is not the last one of this user, or was answered. */
  setAnswer(question: string, userId: string, answer: TicketAnswer, now: number): Promise<boolean>
  /** False if the ticket was not accepted, or was used or has expired: in one statement, for requests at once. */
  use(id: string, now: number): Promise<boolean>
  purge(before: number): Promise<void>
}

const notUsable = (problem: string) =>
  new PlatformError('ConflictError', `The ticket ${problem}. Ask for a new preview.`)

/** Tickets for actions that a program previews and its user confirms. Any process can continue one. */
export function createActionTickets(store: TicketStore, clock: Clock) {
  async function requireUsable(id: string, userId: string): Promise<ActionTicket> {
    const ticket = await store.find(id)
    if (ticket?.user_id !== userId) {
      throw new PlatformError('ResourceNotFoundError', 'Ticket not found. Ask for a preview.')
    }
    if (ticket.used_at !== null) throw notUsable('was used')
    if (ticket.answer === 'declined') throw notUsable('was declined by the user')
    if (ticket.expires_at <= clock()) throw notUsable('has expired')
    return ticket
  }

  return {
    requireUsable,

    async issue(
      userId: string,
      previewed: Pick<ActionTicket, 'action' | 'params' | 'servers'>,
    ): Promise<ActionTicket> {
      const now = clock()
      if ((await store.countOpen(userId, now)) >= maxOpenTickets) {
        throw new PlatformError(
          'TooManyRequests',
          `You have ${maxOpenTickets} open tickets. Use them, or wait until they expire.`,
          { retryAfter: 60 },
        )
      }
      const ticket: ActionTicket = {
        ...previewed,
        id: newId(),
        user_id: userId,
        question: '',
        answer: '',
        created_at: now,
        expires_at: now + ticketLifetime,
        used_at: null,
      }
      await store.insert(ticket)
      return ticket
    },

    /** Notes that the user is asked, and returns the id of the question. */
    async ask({ id }: ActionTicket): Promise<string> {
      const question = newId()
      if (!(await store.setQuestion(id, question, clock()))) throw notUsable('was answered')
      return question
    },

    answer: (question: string, userId: string, answer: TicketAnswer): Promise<boolean> =>
      store.setAnswer(question, userId, answer, clock()),

    /** The answer to a question; declined if it can no longer be answered. */
    async findAnswer(question: string): Promise<TicketAnswer | undefined> {
      const ticket = await store.findByQuestion(question)
      if (!ticket || ticket.expires_at <= clock()) return 'declined'
      return ticket.answer === '' ? undefined : ticket.answer
    },

    /** Allows the action once, whatever happens to it. */
    async use({ id }: ActionTicket): Promise<void> {
      if (!(await store.use(id, clock()))) throw notUsable('was used')
    },

    purgeTickets: () => store.purge(clock() - ticketLifetime),
  }
}
export type ActionTickets = ReturnType<typeof createActionTickets>
