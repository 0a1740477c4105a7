import type { EventDto } from '@muster/contract'

export const eventResults = [
  'success',
  'failure',
  'denied',
] as const satisfies readonly EventDto['result'][]

/** Search parameters of the page: the API's filters, and `last` for a time span that ends now. */
const eventFilterNames = [
  'user_id',
  'action',
  'target_type',
  'target_id',
  'project_id',
  'domain_id',
  'result',
  'request_id',
  'since',
  'before',
  'last',
] as const
export type EventFilterName = (typeof eventFilterNames)[number]
export type EventFilters = Readonly<Partial<Record<EventFilterName, string>>>

const hour = 3_600_000
export const spans = { '1h': hour, '24h': 24 * hour, '7d': 168 * hour, '30d': 720 * hour } as const
export type Span = keyof typeof spans

export const isSpan = (word: string | undefined): word is Span =>
  word !== undefined && Object.hasOwn(spans, word)

/** The filters among the search parameters. */
export function readEventFilters(
  search: Readonly<Record<string, string | undefined>>,
): EventFilters {
  return Object.fromEntries(
    eventFilterNames.flatMap((name) => {
      const value = search[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

type Result = EventDto['result']

/** The result of an evaluation of a check, which nobody asked for. It is among the changes of servers, too. */
const evaluation = 'evaluate'

/** The API's query. A span ends now, so that a link to "the last hour" stays current. */
export function toEventQuery(filters: EventFilters, now: number) {
  const { last, result, ...others } = filters
  return {
    // What people and programs did, without what sources showed.
    record: 'event' as const,
    ...(filters.action === undefined && { filter: `action.notequals('${evaluation}')` }),
    ...others,
    ...(result !== undefined && { result: result as Result }),
    ...(isSpan(last) && { since: `${new Date(now - spans[last]).toISOString().slice(0, 19)}Z` }),
  }
}
