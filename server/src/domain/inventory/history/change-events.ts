import { createHash } from 'node:crypto'
import { events as description, type ScopeParameter, type ServerChange } from '@muster/contract'
import { timePart, type EventRecord } from '../../audit/event.ts'
import type { EventPage, EventQuery, EventStore } from '../../audit/event-store.ts'
import { renderEvent } from '../../audit/render-event.ts'
import type { Caller } from '../../identity/caller.ts'
import { matches } from '../../query/evaluate.ts'
import { queryFieldsOf } from '../../query/query-fields.ts'
import { timestamp } from '../../timestamp.ts'
import type { ListChanges } from './list-changes.ts'
import { adminFields } from './server-diff.ts'

const fields = queryFieldsOf(description)

/** Ids of events start with their time, so changes are sorted among them. */
const idOf = (time: number, serverId: string): string =>
  timePart(time) + createHash('sha256').update(serverId).digest('hex').slice(0, 20)

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 12), 16)

function actionOf({ kinds }: ServerChange): string {
  if (kinds.includes('appeared')) return 'create'
  if (kinds.includes('gone')) return 'delete'
  return kinds.includes('returned') ? 'restore' : 'update'
}

/** A change in the form of an event, for the history of a server, Cloudpods' clients and receivers of events. */
export function toEvent(change: ServerChange): EventRecord {
  const time = Date.parse(change.time)
  const isReported =
    change.request_id === '' &&
    change.task_id === '' &&
    change.account !== '' &&
    !change.kinds.includes('check')
  return {
    id: idOf(time, change.server_id),
    time,
    action: actionOf(change),
    target_type: 'server',
    target_id: change.server_id,
    target_name: change.server_name,
    user_id: '',
    user: isReported ? `account ${change.account}` : '',
    project_id: change.project_id,
    domain_id: change.domain_id,
    ip: '',
    request_id: change.request_id,
    result: 'success',
    changes: Object.fromEntries(
      Object.entries(change.changes).filter(([key]) => !adminFields.has(key)),
    ),
    record: 'change',
    not_observed_since: change.not_observed_since,
  }
}

/** A page of the changes of servers in the form of events, in the order of their ids. */
export function createListChangeEvents(
  listChanges: ListChanges,
  events: Pick<EventStore, 'usersOf'>,
) {
  return async function listChangeEvents(
    caller: Caller,
    serverIds: readonly string[],
    { since = 0, before, marker, descending, limit, where }: EventQuery,
    scope: ScopeParameter | undefined,
  ): Promise<EventPage> {
    const isAfter = (id: string) => marker === undefined || (descending ? id < marker : id > marker)
    const reached = marker === undefined ? undefined : timeOf(marker)
    const from = descending || reached === undefined ? since : Math.max(since, reached)
    const ends = [before, descending && reached !== undefined ? reached + 1 : undefined]
    const until = Math.min(...ends.filter((end) => end !== undefined))
    const query = {
      id: [...serverIds],
      order: descending ? ('desc' as const) : ('asc' as const),
      since: timestamp(from),
      ...(until < Infinity && { until: timestamp(until) }),
      ...(scope !== undefined && { scope }),
      limit: limit + 1,
    }
    const items: EventRecord[] = []
    let next: string | undefined
    // Changes of one commit have the same time: all of them are read before they are sorted by id.
    const isComplete = () => items.length > limit && items.at(-1)?.time !== items[limit - 1]?.time
    do {
      const page = await listChanges(caller, {
        ...query,
        ...(next !== undefined && { marker: next }),
      })
      const requestIds = page.items.map((change) => change.request_id).filter((id) => id !== '')
      const users = await events.usersOf([...new Set(requestIds)])
      const found = page.items.map((change) => ({
        ...toEvent(change),
        ...users.get(change.request_id),
      }))
      items.push(
        ...found.filter((event) => isAfter(event.id) && matches(fields, where, renderEvent(event))),
      )
      ;({ next } = page)
    } while (next !== undefined && !isComplete())
    const direction = descending ? -1 : 1
    const sorted = items.toSorted((a, b) => (a.id < b.id ? -direction : direction))
    const rest = sorted.length > limit || next !== undefined
    return { items: sorted.slice(0, limit), next: rest ? sorted[limit - 1]?.id : undefined }
  }
}
export type ListChangeEvents = ReturnType<typeof createListChangeEvents>

/** One page of two lists that are sorted by id. Both were read with the limit and from the same marker. */
export function mergePages(
  pages: readonly EventPage[],
  { limit, descending }: Pick<EventQuery, 'limit' | 'descending'>,
): EventPage {
  const direction = descending ? -1 : 1
  const items = pages
    .flatMap((page) => page.items)
    .toSorted((a, b) => (a.id < b.id ? -direction : direction))
  const hasMore = items.length > limit || pages.some(({ next }) => next !== undefined)
  const page = items.slice(0, limit)
  return { items: page, next: hasMore ? page.at(-1)?.id : undefined }
}
