import type { RequiredPermission, ScopeParameter } from '@muster/contract'
import type { EventPage, EventQuery } from '../../audit/event-store.ts'
import { findAuthorizedScope } from '../../identity/authorized-scope.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Condition } from '../../query/condition.ts'
import { mergePages, type ListChangeEvents } from './change-events.ts'

/** The values of a field that a condition requires. */
function requiredOf(where: Condition<string>, field: string): readonly string[] {
  if (where.kind === 'all') {
    return (
      where.conditions.map((each) => requiredOf(each, field)).find((each) => each.length > 0) ?? []
    )
  }
  const isRequired =
    where.kind === 'field' && where.field === field && /^(?:equals|in)$/.test(where.comparison)
  return isRequired ? where.values.map(String) : []
}

const permission: RequiredPermission = {
  service: 'compute',
  resource: 'servers',
  action: 'list',
  at: ['system', 'domain', 'project'],
}

/**
 * A page of events. If the query is about certain servers, their changes are among them, as before there were
 * two records: Cloudpods' clients ask so.
 */
export function createListEvents(listChangeEvents: ListChangeEvents) {
  return async function listEvents(
    caller: Caller,
    query: EventQuery,
    scope: ScopeParameter | undefined,
    readEvents: (query: EventQuery) => Promise<EventPage>,
  ): Promise<EventPage> {
    const ids = requiredOf(query.where, 'target_id')
    const isOfServers = requiredOf(query.where, 'target_type').includes('server')
    const records = requiredOf(query.where, 'record')
    const hasChanges = isOfServers && (records.length === 0 || records.includes('change'))
    const authorizedScope = findAuthorizedScope(caller.principal, permission)
    if (!hasChanges || ids.length === 0 || authorizedScope.scope.kind === 'none') {
      return await readEvents(query)
    }
    // Changes have no place in the order in which events were committed.
    const byTime = { ...query, byCommit: false }
    const reader = { ...caller, authorizedScope }
    return mergePages(
      [await readEvents(byTime), await listChangeEvents(reader, ids, byTime, scope ?? 'max')],
      byTime,
    )
  }
}
export type ListEvents = ReturnType<typeof createListEvents>
