import {
  actionParameters,
  ignoredParameters,
  type BatchPreview,
  type Server,
  type ServerAction,
  type TaskParameters,
} from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import type { ActionTicket, TicketServer } from '../../domain/tasks/action-tickets.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operationOf } from './call-api.ts'
import { offeredActions } from './offered-actions.ts'
import { performTicket, performedSchema, requireUnchanged } from './perform-ticket.ts'
import type { ActingCall, ObjectSchema, Tool, ToolCaller } from './tool.ts'
import { toVisibleLine } from './visible-line.ts'
import { withoutNotes } from './without-notes.ts'

/** Servers of one ticket: as many as a person can read in a question. */
const maxServers = 20
const maxShownName = 64

const describeParameters = (): string =>
  offeredActions
    .map((action) => {
      const names = Object.keys(actionParameters[action].properties).filter(
        (name) => !ignoredParameters.includes(name),
      )
      return `${action}: ${names.join(', ') || 'none'}`
    })
    .join('; ')

const text = { type: 'string' }

/** What the dry run of a batch says, and the ticket. */
function previewSchema(): ObjectSchema {
  const { properties } = withoutNotes(
    operationOf('createBatch').responses[200]?.body,
  ) as ObjectSchema
  const batch = properties['batch'] as ObjectSchema
  return {
    ...batch,
    properties: { ...batch.properties, ticket: text, expires_at: text },
  }
}

async function readServers(given: readonly string[], { api }: ToolCaller): Promise<TicketServer[]> {
  const found = new Map<string, TicketServer>()
  for (const idOrName of given) {
    const { body } = await api('getServer', { path: { id: idOrName } })
    const { id, name, update_version: version } = body['server'] as Server
    found.set(id, { id, name, version })
  }
  return [...found.values()]
}

interface PreviewInput {
  readonly action: ServerAction
  readonly servers: readonly string[]
  readonly params?: TaskParameters
}

const previewAction: Tool<ActingCall> = {
  name: 'preview_action',
  title: 'Preview an action',
  description:
    'Returns what an action would do with each server, without doing it, and a ticket for those with the outcome `act`. The ticket is for one `perform_action` within 10 minutes, if these servers do not change meanwhile.',
  inputSchema: {
    type: 'object',
    properties: {
      action: { enum: offeredActions },
      servers: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255 },
        minItems: 1,
        maxItems: maxServers,
        description: 'Ids or names',
      },
      params: {
        type: 'object',
        description: `Parameters of the action. ${describeParameters()}`,
      },
    },
    required: ['action', 'servers'],
    additionalProperties: false,
  },
  outputSchema: previewSchema(),

  async call(input, caller) {
    const { action, servers: given, params = {} } = input as unknown as PreviewInput
    const servers = await readServers(given, caller)
    const ids = servers.map(({ id }) => id)
    const { body } = await caller.api('createBatch', {
      query: { scope: 'max' },
      body: { batch: { action, ids, params, dry_run: true } },
    })
    const preview = body['batch'] as BatchPreview
    const acting = new Set(
      preview.items.filter(({ outcome }) => outcome === 'act').map(({ server_id }) => server_id),
    )
    if (acting.size === 0) return preview
    const ticket = await caller.tickets.issue(caller.userId, {
      action,
      params,
      servers: servers.filter(({ id }) => acting.has(id)),
    })
    return { ...preview, ticket: ticket.id, expires_at: timestamp(ticket.expires_at) }
  },
}

/** The question to the user. Names are in quotes, on one line and cut, because others choose them. */
function toQuestion({ action, params, servers }: ActionTicket): string {
  const shown = servers.map(
    ({ id, name }) => `${JSON.stringify(toVisibleLine(name, maxShownName))} (${id})`,
  )
  const given = Object.entries(params).map(
    ([name, value]) => `${name}=${toVisibleLine(JSON.stringify(value), 200)}`,
  )
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`
  return `Muster: perform "${action}"${given.length > 0 ? ` with ${given.join(', ')}` : ''} on ${count}? ${shown.join(', ')}`
}

const performAction: Tool<ActingCall> = {
  name: 'perform_action',
  title: 'Perform a previewed action',
  description:
    'Asks the user, and then performs the action of a ticket from `preview_action`, once. Tasks run in the background: with a progress token the call reports and waits up to a minute; otherwise see `list_tasks`.',
  inputSchema: {
    type: 'object',
    properties: { ticket: { ...text, minLength: 1, maxLength: 64 } },
    required: ['ticket'],
    additionalProperties: false,
  },
  outputSchema: performedSchema,
  changes: true,

  async call({ ticket: id }, caller) {
    const { tickets, conversation } = caller
    if (!caller.client.canAsk) {
      throw new PlatformError(
        'ForbiddenError',
        'This client cannot ask its user (the capability "elicitation" with forms), so it cannot act.',
      )
    }
    const ticket = await tickets.requireUsable(String(id), caller.userId)
    let answer = conversation.answerTo(ticket, caller.request)
    if (answer !== undefined) await tickets.answer(ticket.question, caller.userId, answer)
    else {
      await requireUnchanged(ticket, caller)
      const question = await tickets.ask(ticket)
      const asked = await conversation.ask(question, toQuestion(ticket), caller.request)
      if (typeof asked === 'object') return asked
      answer = asked
    }
    if (answer === 'declined') {
      throw new PlatformError('ConflictError', 'The user declined. Nothing was done.')
    }
    return await performTicket(ticket, caller)
  },
}

export const actingTools: readonly Tool<ActingCall>[] = [previewAction, performAction]
