import { defaultPageSize, maxPageSize, type ScopeParameter } from '@muster/contract'
import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import type { Condition, OtherCondition, Value } from './condition.ts'
import { allOf, anyOf, oneOf, requireWithinLimits, type ConditionsOf } from './conditions.ts'
import type { ListQuery, Order } from './list-query.ts'
import { parseFilter } from './parse-filter.ts'
import { parseQ } from './parse-q.ts'
import { parseValue } from './parse-value.ts'
import { isField, type QueryFields } from './query-fields.ts'

/** The parameters that select objects, besides those with the name of a field. */
export interface FilterParameters {
  readonly filter?: readonly string[]
  readonly filter_any?: boolean
  readonly q?: string
  readonly search?: string
}

/** The parameters that all lists share. Parameters with the name of a field are added to them. */
export interface ListParameters extends FilterParameters {
  readonly scope?: ScopeParameter
  readonly limit?: number
  readonly offset?: number
  readonly marker?: string
  readonly order_by?: readonly string[]
  readonly order?: 'asc' | 'desc'
  readonly field?: readonly string[]
  readonly details?: boolean
}

export function readTimestamp(parameter: string, text: string): Value {
  const parsed = parseValue('timestamp', text)
  if ('wanted' in parsed) throw badField(parameter, `must be ${parsed.wanted}`)
  return parsed.value
}

/** A parameter with the name of a field. */
export function readField<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  name: string,
  values: readonly Value[],
): Condition<Field, Other>[] {
  if (!isField(fields, name)) return []
  if (fields.kinds[name] === 'timestamp') {
    const times = values.map((value) => readTimestamp(name, String(value)))
    return [oneOf(name, times)]
  }
  return [fields.named(name, values.map(String)) ?? oneOf(name, values)]
}

/** The conditions of the parameters that all lists share. All of them must match. */
export function readConditions<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  parameters: FilterParameters,
): ConditionsOf<Field, Other>[] {
  const { filter = [], filter_any = false, q = '', search = '' } = parameters
  const filters = filter.map((text) => parseFilter(fields, text))
  return [
    ...Object.entries(parameters).flatMap(([name, values]): ConditionsOf<Field, Other>[] =>
      Array.isArray(values) ? [[name, readField(fields, name, values as Value[])]] : [],
    ),
    ['filter', filter_any && filters.length > 0 ? [anyOf(filters)] : filters],
    ['q', parseQ(fields, q)],
    ['search', search.trim() === '' ? [] : [{ kind: 'search', text: search }]],
  ]
}

/** Joins conditions, unless the query would cost too much. */
export function joinConditions<Field extends string, Other extends OtherCondition>(
  conditions: readonly ConditionsOf<Field, Other>[],
): Condition<Field, Other> {
  requireWithinLimits(conditions)
  return allOf(conditions.flatMap(([, each]) => each))
}

interface WantedOrder {
  readonly parameter: string
  readonly by: string
  readonly descending: boolean
}

/** The sort fields. `more` comes after those of `order_by`. */
export function readOrder<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  { order_by = [], order = 'desc' }: ListParameters,
  defaultField: Field,
  more: readonly WantedOrder[] = [],
): readonly Order<Field>[] {
  const descending = order === 'desc'
  const wanted = [...order_by.map((by) => ({ parameter: 'order_by', by, descending })), ...more]
  if (wanted.length === 0) return [{ field: defaultField, descending }]
  const orders = new Map<string, Order<Field>>()
  for (const { parameter, by, ...direction } of wanted) {
    if (!isField(fields, by) || !fields.sortable.has(by)) {
      throw badField(
        parameter,
        `has ${JSON.stringify(by)}, which is not a field to sort by${didYouMean(by, fields.sortable)}`,
      )
    }
    // Sorting by a field a second time changes nothing.
    if (!orders.has(by)) orders.set(by, { field: by, ...direction })
  }
  return [...orders.values()]
}

/** A field of the response. */
export function readKey(
  { keys, many }: Pick<QueryFields<string>, 'keys' | 'many'>,
  name: string,
  parameter: string,
): string {
  if (keys.includes(name)) return name
  throw badField(
    parameter,
    `has ${JSON.stringify(name)}, which is not a field of ${many}${didYouMean(name, keys)}`,
  )
}

export const readLimit = ({ limit }: ListParameters): number =>
  Math.min(limit ?? defaultPageSize, maxPageSize)

/**
 * Parses the parameters of a list, which already fit the contract. Without `order_by` the list is
 * sorted by `defaultField`.
 */
export function readListQuery<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  parameters: ListParameters,
  defaultField: Field,
): ListQuery<Field, Other> {
  const { scope, offset, marker, field = [], details = false } = parameters
  if (marker !== undefined && (offset ?? 0) > 0) {
    throw badField('marker', 'cannot be combined with offset')
  }
  const keys = new Set(field.map((name) => readKey(fields, name, 'field')))
  return {
    resource: fields.many,
    scope,
    where: joinConditions(readConditions(fields, parameters)),
    order: readOrder(fields, parameters, defaultField),
    limit: readLimit(parameters),
    offset: offset ?? 0,
    marker,
    details,
    keys: keys.size === 0 ? undefined : [...keys],
  }
}
