import { events } from '@muster/contract'
import type { EventPage, EventQuery } from '../domain/audit/event-store.ts'
import { renderEvent } from '../domain/audit/render-event.ts'
import type { ListQuery } from '../domain/query/list-query.ts'
import { queryFieldsOf } from '../domain/query/query-fields.ts'
import { readListQuery, type ListParameters } from '../domain/query/read-list-query.ts'
import { selectKeys } from '../domain/query/select-keys.ts'
import { readTimestamp } from '../domain/read-timestamp.ts'
import { nextLink } from './next-link.ts'

const fields = queryFieldsOf(events)

interface EventParameters extends ListParameters {
  readonly since?: string
  readonly before?: string
}

type ParsedQuery = Omit<EventQuery, 'requester'> & Pick<ListQuery<string>, 'scope' | 'keys'>

/** Parses the query of a list of events. They can be sorted by time only. */
export function readEventQuery({ since, before, ...parameters }: EventParameters): ParsedQuery {
  const { where, order, limit, marker, scope, keys } = readListQuery(fields, parameters, 'time')
  return {
    ...(since !== undefined && { since: readTimestamp(since, 'since') }),
    ...(before !== undefined && { before: readTimestamp(before, 'before') }),
    ...(marker !== undefined && { marker }),
    where,
    descending: order[0]?.descending ?? true,
    limit,
    scope,
    keys,
  }
}

/** The response for a page of events. It has no `total`: counting the audit log would be slow. */
export const answerEvents = (
  { items, next }: EventPage,
  { limit, keys }: ParsedQuery,
  address: string,
) => ({
  status: 200,
  body: { events: items.map((event) => selectKeys(renderEvent(event), keys)), limit },
  headers: nextLink(address, next === undefined ? undefined : { marker: next }),
})
