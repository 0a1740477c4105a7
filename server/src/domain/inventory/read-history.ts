import type { EventQuery, EventStore } from '../audit/event-store.ts'
import type { EventRecord } from '../audit/event.ts'
import type { Caller } from '../identity/caller.ts'
import { findReach, type Extent } from '../identity/reach.ts'
import type { FindServer } from './get-server.ts'
import type { WantedScope } from './server-query.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly events: EventStore
}

type HistoryQuery = Pick<EventQuery, 'limit' | 'marker' | 'since' | 'before'>

/** From where somebody acted is for those who may read the audit log. */
const withoutOrigin = (event: EventRecord): EventRecord => ({ ...event, ip: '', request_id: '' })

/** What it came as is told; what it was before, when it was somebody else's, stays theirs. */
function withoutPast(event: EventRecord, { kind }: Extent): EventRecord {
  const isArrival =
    (kind === 'project' && 'project_id' in event.changes) ||
    (kind === 'domain' && 'domain_id' in event.changes)
  if (!isArrival) return event
  const arrived = Object.entries(event.changes)
    .filter(([, [, after]]) => after !== null)
    .map(([key, [, after]]) => [key, [null, after]] as const)
  return { ...event, changes: Object.fromEntries(arrived) as EventRecord['changes'] }
}

/** What became of a server, newest first, as far as it happened where the caller sees. */
export function createReadHistory({ findServer, events }: Dependencies) {
  return async function readHistory(
    caller: Caller,
    idOrName: string,
    query: HistoryQuery,
    scope?: WantedScope,
  ) {
    const { parts, sight } = await findServer(caller, idOrName, scope)
    const { extent } = sight
    const found = await events.list(
      { extent: { kind: 'system' }, self: undefined },
      {
        ...query,
        matching: {
          target_type: 'server',
          target_id: parts.id,
          ...(extent.kind === 'project' && { project_id: extent.projectId }),
          ...(extent.kind === 'domain' && { domain_id: extent.domainId }),
        },
      },
    )
    const audit = findReach(caller.principal, {
      service: 'identity',
      resource: 'events',
      action: 'list',
      at: ['system', 'domain'],
    })
    const mayAudit = audit.extent.kind !== 'nothing'
    const page = found.slice(0, query.limit).map((event) => withoutPast(event, extent))
    return {
      items: mayAudit ? page : page.map(withoutOrigin),
      next: found.length > query.limit ? page.at(-1)?.id : undefined,
    }
  }
}
export type ReadHistory = ReturnType<typeof createReadHistory>
