/** A query for servers, from which a test makes the URL. */

export const operators = [
  'in',
  'notin',
  'between',
  'ge',
  'gt',
  'le',
  'lt',
  'like',
  'contains',
  'startswith',
  'endswith',
  'equals',
  'notequals',
  'isnull',
  'isnotnull',
  'isempty',
  'isnotempty',
  'isnullorempty',
] as const
export type Operator = (typeof operators)[number]

/** Values are written as in a URL. */
export interface FieldFilter {
  readonly field: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** A field, region or zone, and its values, one of which must match. */
export interface Parameter {
  readonly name: string
  readonly values: readonly string[]
  readonly isNumbered: boolean
}

export type Sign = ':' | '>=' | '<=' | '>' | '<'

/** A word of `q`. */
export type Term = { readonly isNegated: boolean } & (
  | { readonly kind: 'search'; readonly text: string }
  | {
      readonly kind: 'field'
      readonly name: string
      readonly sign: Sign
      readonly values: readonly string[]
    }
  | { readonly kind: 'tag' | 'ip' | 'network'; readonly values: readonly string[] }
)

type Range = 'created_since' | 'created_before' | 'updated_since' | 'updated_before'

export interface ServerFilter {
  readonly parameters: readonly Parameter[]
  readonly filters: readonly FieldFilter[]
  readonly isAny: boolean
  readonly terms: readonly Term[]
  readonly search: string | undefined
  readonly tags: readonly string[]
  readonly ip: readonly string[]
  readonly ranges: Readonly<Partial<Record<Range, string>>>
  readonly scope: 'project' | 'domain' | 'system' | 'max' | undefined
  readonly state: 'live' | 'recycled' | 'both' | 'deleted'
}

export interface ServerQuery extends ServerFilter {
  readonly orderBy: readonly string[]
  readonly order: 'asc' | 'desc' | undefined
  readonly limit: number | undefined
  readonly offset: number | undefined
  readonly details: boolean
  readonly withMeta: boolean
  readonly field: readonly string[]
}

const encode = encodeURIComponent
const pair = (name: string, value: string | number | boolean) => `${name}=${encode(value)}`

const quoted = (text: string, quote = "'") =>
  quote + text.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote) + quote

const filterText = ({ field, operator, values }: FieldFilter) =>
  `${field}.${operator}(${values.map((value) => quoted(value)).join(', ')})`

/** Texts that need no quotes in `q`. */
const isPlain = (text: string) => /^[\p{L}\p{N}_.-]+$/u.test(text) && !text.startsWith('-')

function termText(word: Term): string {
  const minus = word.isNegated ? '-' : ''
  if (word.kind === 'search') {
    return minus + (isPlain(word.text) ? word.text : quoted(word.text, '"'))
  }
  const [name, sign] = word.kind === 'field' ? [word.name, word.sign] : [word.kind, ':' as const]
  const values = word.values.map((value) => (isPlain(value) ? value : quoted(value, '"')))
  return `${minus}${name}${sign}${values.join(',')}`
}

const severalPairs = (name: string, values: readonly string[], isNumbered = false) =>
  values.map((value, at) => pair(isNumbered ? `${name}.${at}` : name, value))

const stateParameters = {
  live: [],
  recycled: ['pending_delete=true'],
  both: ['pending_delete=all'],
  deleted: ['deleted=true'],
} as const satisfies Record<ServerFilter['state'], readonly string[]>

function filterPairs(serverFilter: ServerFilter): string[] {
  const { parameters, filters, isAny, terms, search, tags, ip, scope, state } = serverFilter
  return [
    ...parameters.flatMap(({ name, values, isNumbered }) => severalPairs(name, values, isNumbered)),
    ...filters.map((filter) => pair('filter', filterText(filter))),
    ...(isAny ? ['filter_any=true'] : []),
    ...(terms.length === 0 ? [] : [pair('q', terms.map(termText).join(' '))]),
    ...(search === undefined ? [] : [pair('search', search)]),
    ...severalPairs('tags', tags),
    ...severalPairs('ip', ip),
    ...Object.entries(serverFilter.ranges).map(([name, value]) => pair(name, value)),
    ...(scope === undefined ? [] : [pair('scope', scope)]),
    ...stateParameters[state],
  ]
}

/** The query string without the question mark. */
export function queryText(serverQuery: ServerQuery): string {
  const { orderBy, order, limit, offset, details, withMeta, field } = serverQuery
  return [
    ...filterPairs(serverQuery),
    ...severalPairs('order_by', orderBy),
    ...(order === undefined ? [] : [pair('order', order)]),
    ...(limit === undefined ? [] : [pair('limit', limit)]),
    ...(offset === undefined ? [] : [pair('offset', offset)]),
    ...(details ? ['details=true'] : []),
    ...(withMeta ? ['with_meta=true'] : []),
    ...severalPairs('field', field),
  ].join('&')
}

/** The same for statistics. */
export const statisticsText = (serverFilter: ServerFilter, groups: readonly string[]): string =>
  [...filterPairs(serverFilter), ...severalPairs('group_by', groups)].join('&')

/** A query for all visible servers. */
export const everything: ServerQuery = {
  parameters: [],
  filters: [],
  isAny: false,
  terms: [],
  search: undefined,
  tags: [],
  ip: [],
  ranges: {},
  scope: undefined,
  state: 'live',
  orderBy: [],
  order: undefined,
  limit: undefined,
  offset: undefined,
  details: false,
  withMeta: false,
  field: [],
}
