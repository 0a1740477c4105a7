import type { Comparison, Condition, FieldCondition, Value } from './condition.ts'
import { badField } from '../error.ts'
import { fold } from './fold.ts'
import type { ListQuery, Order, Page } from './list-query.ts'
import { isMarker, readMarker, writeMarker, type Position, type SortKey } from './marker.ts'
import { microsecondsOf } from './parse-timestamp.ts'
import type { FieldKind, QueryFields } from './query-fields.ts'
import { compareText, matchesText } from './text-match.ts'

type Wire<Field extends string> = Readonly<Record<Field, unknown>>

const equalities: ReadonlySet<Comparison> = new Set(['equals', 'in', 'notequals', 'notin'])

/** The value that comparisons and sorting use. */
function keyOf(value: unknown, kind: FieldKind): SortKey {
  if (kind === 'boolean') return value === true ? 1 : 0
  if (kind === 'timestamp') return typeof value === 'string' ? microsecondsOf(value) : null
  return value as string | number
}

/** `null` is never equal, greater or less. */
function matchesNumber(
  key: number | null,
  comparison: Comparison,
  values: readonly Value[],
): boolean {
  const [first = 0, second = 0] = values.map(Number)
  switch (comparison) {
    case 'in':
    case 'equals':
      return values.some((value) => Number(value) === key)
    case 'notin':
    case 'notequals':
      return !values.some((value) => Number(value) === key)
    case 'between':
      return key !== null && key >= first && key <= second
    case 'ge':
      return key !== null && key >= first
    case 'gt':
      return key !== null && key > first
    case 'le':
      return key !== null && key <= first
    case 'lt':
      return key !== null && key < first
    case 'isnull':
    case 'isnullorempty':
      return key === null
    case 'isnotnull':
    case 'isnotempty':
      return key !== null
    case 'isempty':
      return false
    case 'like':
    case 'contains':
    case 'startswith':
    case 'endswith':
      throw new Error(`${comparison} is a comparison of text`)
  }
}

/** Whether a field of an object in memory compares with the values as the condition says. */
export function matchesField<Field extends string>(
  { kinds, enumerated }: Pick<QueryFields<Field>, 'kinds' | 'enumerated'>,
  { field, comparison, values }: FieldCondition<Field>,
  object: Wire<Field>,
): boolean {
  const key = keyOf(object[field], kinds[field])
  if (typeof key !== 'string') return matchesNumber(key, comparison, values)
  const texts = values as readonly string[]
  return enumerated.has(field) && equalities.has(comparison)
    ? matchesText(fold(key), comparison, texts.map(fold))
    : matchesText(key, comparison, texts)
}

/** Whether an object in memory matches a condition. */
export function matches<Field extends string>(
  fields: QueryFields<Field>,
  condition: Condition<Field>,
  object: Wire<Field>,
): boolean {
  switch (condition.kind) {
    case 'field':
      return matchesField(fields, condition, object)
    case 'search': {
      const text = fold(condition.text)
      return fields.searched.some((field) => fold(String(object[field])).includes(text))
    }
    case 'all':
      return condition.conditions.every((each) => matches(fields, each, object))
    case 'any':
      return condition.conditions.some((each) => matches(fields, each, object))
    case 'not':
      return !matches(fields, condition.condition, object)
  }
}

/** NULL sorts before all values. */
function compareKeys(a: SortKey, b: SortKey): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return typeof a === 'string' ? compareText(a, String(b)) : a - Number(b)
}

/** The values of enumerations that do not sort by the alphabet, in their order; at most ten of each. */
type Ranks<Field extends string> = Readonly<Partial<Record<Field, readonly unknown[]>>>

const positionOf = <Field extends string>(
  { kinds }: QueryFields<Field>,
  ranks: Ranks<Field> | undefined,
  order: readonly Order<Field>[],
  object: Wire<Field> & { readonly id: string },
): Position => ({
  keys: order.map(({ field }) => {
    const [value, ranked] = [object[field], ranks?.[field]]
    // A text, as the keys of a marker have the kinds of the fields.
    return keyOf(ranked ? String(ranked.indexOf(value)) : value, kinds[field])
  }),
  id: object.id,
})

function comparePositions(
  order: readonly { readonly descending: boolean }[],
  a: Position,
  b: Position,
): number {
  for (const [at, { descending }] of order.entries()) {
    const difference = compareKeys(a.keys[at] ?? null, b.keys[at] ?? null)
    if (difference !== 0) return descending ? -difference : difference
  }
  const difference = compareText(a.id, b.id)
  return order.at(-1)?.descending ? -difference : difference
}

/** The position of a marker, which is one of Muster's or the id of an object in the list. */
function positionAfter<Field extends string>(
  fields: QueryFields<Field>,
  ranks: Ranks<Field> | undefined,
  query: Pick<ListQuery<Field>, 'scope' | 'where' | 'order'>,
  marker: string,
  objects: readonly (Wire<Field> & { readonly id: string })[],
): Position {
  if (isMarker(marker)) return readMarker(fields.kinds, marker, query)
  const object = objects.find(({ id }) => id === marker)
  if (!object) throw badField('marker', 'does not exist in this list. Start from the first page.')
  return positionOf(fields, ranks, query.order, object)
}

/** Where the objects after a position start. */
function indexAfter(
  found: readonly { readonly position: Position }[],
  order: readonly { readonly descending: boolean }[],
  after: Position,
): number {
  if (order.length === 0) return found.findIndex(({ position }) => position.id === after.id) + 1
  const index = found.findIndex(({ position }) => comparePositions(order, position, after) > 0)
  return index === -1 ? found.length : index
}

/**
 * Filters, sorts and pages a list that is in memory, for what no table has: services, endpoints and regions,
 * which follow from the settings; the kinds of sources; and cloud accounts, whose status depends on the time
 * and on the keys of this node. Without sort fields the order does not change.
 */
export function listInMemory<
  Field extends string,
  Item extends Wire<Field> & { readonly id: string },
>(
  fields: QueryFields<Field>,
  query: Pick<ListQuery<Field>, 'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'>,
  objects: readonly Item[],
  ranks?: Ranks<Field>,
): Page<Item> {
  const { where, order, limit, offset, marker } = query
  const after =
    marker === undefined ? undefined : positionAfter(fields, ranks, query, marker, objects)
  const matching = objects
    .filter((object) => matches(fields, where, object))
    .map((object) => ({ object, position: positionOf(fields, ranks, order, object) }))
  const found =
    order.length === 0
      ? matching
      : matching.toSorted((a, b) => comparePositions(order, a.position, b.position))
  const rest = after ? found.slice(indexAfter(found, order, after)) : found.slice(offset)
  const page = rest.slice(0, limit)
  const last = rest.length > page.length ? page.at(-1) : undefined
  return {
    items: page.map(({ object }) => object),
    total: found.length,
    next: last && writeMarker(query, last.position),
  }
}
