import {
  actionParameters,
  ignoredParameters,
  readMemory,
  type Server,
  type ServerAction,
  type TaskParameters,
} from '@muster/contract'
import type { PlatformError } from '../error.ts'
import {
  endServer,
  isProtectedBy,
  withOwnNotes,
  withoutOwnFields,
  withProtection,
} from '../inventory/own-fields.ts'
import { timestamp } from '../timestamp.ts'
import { decideAction, type Situation } from './decide-action.ts'
import { sourceFields } from './plan-steps.ts'

/** What an action does. */
export type Prepared =
  | { readonly kind: 'refused'; readonly error: PlatformError }
  | { readonly kind: 'already'; readonly reason: string }
  /** Done at once, without the source. */
  | { readonly kind: 'done'; readonly server: Server; readonly leavesBin?: true }
  /** A task. The server has the changes that are made at once. */
  | { readonly kind: 'task'; readonly params: TaskParameters; readonly server: Server }

/** The fields that Muster itself stores. */
function updateOwnFields(server: Server, params: TaskParameters): Server {
  const { description, disable_delete } = params
  let updated = server
  if (typeof description === 'string' && description !== server.description) {
    updated = { ...withOwnNotes(updated, { described_by: 'muster' }), description }
  }
  if (typeof disable_delete === 'boolean' && disable_delete !== isProtectedBy(server, 'muster')) {
    updated = withProtection(updated, {
      muster: disable_delete,
      source: isProtectedBy(server, 'source'),
    })
  }
  return updated
}

/** The changes that only the source can make. Its own protection is only cleared, never set. */
function sourceChanges(server: Server, params: TaskParameters): TaskParameters {
  const isWanted = (name: (typeof sourceFields)[number]) =>
    name === 'disable_delete'
      ? params[name] === false && isProtectedBy(server, 'source')
      : params[name] !== undefined && params[name] !== server[name]
  return Object.fromEntries(
    sourceFields.filter(isWanted).map((name) => [name, params[name] as string | boolean]),
  )
}

function prepareUpdate(params: TaskParameters, situation: Situation): Prepared {
  const { server } = situation
  const changes = sourceChanges(server, params)
  const updated = updateOwnFields(server, params)
  if (Object.keys(changes).length === 0) {
    // A deleted server is refused.
    if (server.deleted) return decided('update', {}, situation)
    return updated === server
      ? { kind: 'already', reason: 'Nothing changes.' }
      : { kind: 'done', server: updated }
  }
  const decision = decided('update', changes, situation)
  return decision.kind === 'task' ? { ...decision, server: updated } : decision
}

function decided(action: ServerAction, params: TaskParameters, situation: Situation): Prepared {
  const decision = decideAction(action, params, situation)
  return decision.kind === 'act' ? { kind: 'task', params, server: situation.server } : decision
}

/** Decides what an action does. */
export function prepareAction(
  action: ServerAction,
  params: TaskParameters,
  situation: Situation,
  now: number,
): Prepared {
  if (action === 'update') return prepareUpdate(params, situation)
  const prepared = decided(action, params, situation)
  if (prepared.kind !== 'task') return prepared
  const { server } = situation
  if (action === 'cancel-delete') {
    return {
      kind: 'done',
      leavesBin: true,
      server: { ...server, pending_deleted: false, pending_deleted_at: null, auto_delete_at: null },
    }
  }
  if (action === 'purge') {
    return {
      kind: 'done',
      leavesBin: true,
      server: endServer(withoutOwnFields(server), timestamp(now)),
    }
  }
  return prepared
}

/** The parameters of an action in Muster's units, without those that only Cloudpods' clients send. */
export function readParameters(action: ServerAction, given: object): TaskParameters {
  const known = Object.keys(actionParameters[action].properties)
  return Object.fromEntries(
    Object.entries(given as TaskParameters)
      .filter(([name]) => known.includes(name) && !ignoredParameters.includes(name))
      .map(([name, value]) => [
        name,
        name === 'vmem_size' && typeof value !== 'boolean' ? readMemory(value) : value,
      ]),
  )
}
