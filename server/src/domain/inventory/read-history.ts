import type { ScopeParameter } from '@muster/contract'
import type { EventQuery, EventStore } from '../audit/event-store.ts'
import type { EventRecord } from '../audit/event.ts'
import type { Caller } from '../identity/caller.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import { requesterOf } from '../identity/requester-of.ts'
import { allOf, oneOf } from '../query/conditions.ts'
import { everywhere } from '../scope.ts'
import type { FindServer } from './get-server.ts'
import { mergePages, type ListChangeEvents } from './history/change-events.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly events: EventStore
  readonly listChangeEvents: ListChangeEvents
}

type HistoryQuery = Omit<EventQuery, 'requester' | 'hidesIp'>

/** Only readers of the audit log see the address from which somebody acted. */
const withoutIp = (event: EventRecord): EventRecord => ({ ...event, ip: '' })

/** Returns the events and the changes of a server that the caller may see, newest first. */
export function createReadHistory({ findServer, events, listChangeEvents }: Dependencies) {
  return async function readHistory(
    caller: Caller,
    idOrName: string,
    query: HistoryQuery,
    requested?: ScopeParameter,
  ) {
    const { parts, visibility } = await findServer(caller, idOrName, requested)
    const { scope } = visibility
    const audit = findAuthorizedScope(caller.principal, {
      service: 'identity',
      resource: 'events',
      action: 'list',
      at: ['system', 'domain'],
    })
    const hidesIp = audit.scope.kind === 'none'
    const asked = { ...query, hidesIp, requester: requesterOf(caller) }
    const about = await events.list(everywhere, {
      ...asked,
      where: allOf([
        oneOf('target_type', ['server']),
        oneOf('target_id', [parts.id]),
        ...(scope.kind === 'project' ? [oneOf('project_id', [scope.projectId])] : []),
        ...(scope.kind === 'domain' ? [oneOf('domain_id', [scope.domainId])] : []),
        query.where,
      ]),
    })
    const shown = hidesIp ? { ...about, items: about.items.map(withoutIp) } : about
    return mergePages(
      [shown, await listChangeEvents(caller, [parts.id], asked, requested ?? 'max')],
      query,
    )
  }
}
export type ReadHistory = ReturnType<typeof createReadHistory>
