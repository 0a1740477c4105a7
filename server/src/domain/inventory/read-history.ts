import type { ScopeParameter } from '@muster/contract'
import type { EventQuery, EventStore } from '../audit/event-store.ts'
import type { EventRecord } from '../audit/event.ts'
import type { Caller } from '../identity/caller.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import { requesterOf } from '../identity/requester-of.ts'
import { allOf, oneOf } from '../query/conditions.ts'
import { everywhere, type ScopeOrNone } from '../scope.ts'
import type { FindServer } from './get-server.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly events: EventStore
}

type HistoryQuery = Omit<EventQuery, 'requester' | 'hidesOrigin'>

/** Only readers of the audit log see the address from which somebody acted. */
const withoutOrigin = (event: EventRecord): EventRecord => ({ ...event, ip: '', request_id: '' })

/** Shows the new values when a server changed hands, but not those of its previous owner. */
function withoutPast(event: EventRecord, { kind }: ScopeOrNone): EventRecord {
  const isArrival =
    (kind === 'project' && 'project_id' in event.changes) ||
    (kind === 'domain' && 'domain_id' in event.changes)
  if (!isArrival) return event
  const arrived = Object.entries(event.changes)
    .filter(([, [, after]]) => after !== null)
    .map(([key, [, after]]) => [key, [null, after]] as const)
  return { ...event, changes: Object.fromEntries(arrived) as EventRecord['changes'] }
}

/** Returns the events of a server that the caller may see, newest first. */
export function createReadHistory({ findServer, events }: Dependencies) {
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
    const hidesOrigin = audit.scope.kind === 'none'
    const { items, next } = await events.list(everywhere, {
      ...query,
      where: allOf([
        oneOf('target_type', ['server']),
        oneOf('target_id', [parts.id]),
        ...(scope.kind === 'project' ? [oneOf('project_id', [scope.projectId])] : []),
        ...(scope.kind === 'domain' ? [oneOf('domain_id', [scope.domainId])] : []),
        query.where,
      ]),
      hidesOrigin,
      requester: requesterOf(caller),
    })
    const known = items.map((event) => withoutPast(event, scope))
    return { items: hidesOrigin ? known.map(withoutOrigin) : known, next }
  }
}
export type ReadHistory = ReturnType<typeof createReadHistory>
