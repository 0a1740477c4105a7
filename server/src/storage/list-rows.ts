import { sql } from 'kysely'
import { badField } from '../domain/error.ts'
import { foldName, nameKey } from '../domain/name-key.ts'
import type { Condition, FieldCondition } from '../domain/query/condition.ts'
import type { ListQuery, Order, Page } from '../domain/query/list-query.ts'
import {
  isMarker,
  readMarker,
  writeMarker,
  type Position,
  type SortKey,
} from '../domain/query/marker.ts'
import type { FieldKind, QueryFields } from '../domain/query/query-fields.ts'
import { inTurns } from '../domain/next-turn.ts'
import type { Requester } from '../domain/requester.ts'
import type { DatabaseReader, Row } from './database.ts'
import { allOf, anyOf, byCodePoint, type Sql } from './sql-parts.ts'
import { createCompare, equalities } from './compare.ts'
import { after, orderBy, type SortTerm } from './sort-terms.ts'

/** Folds the case of an expression, and of the value that it is compared with. */
interface Folded {
  readonly subject: Sql
  readonly fold: (text: string) => string
}

/** How SQL reads a field. Only a timestamp can be NULL; it is microseconds since 1970. */
export interface SqlField {
  readonly kind: FieldKind
  readonly value: Sql
  readonly folded: Folded
  /** For equality, if it ignores case. */
  readonly equality?: Folded
}

/** Folds ASCII only, as `lower` of both engines does without a collation. */
const foldAscii = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** A text without a folded column. */
export const textField = (engine: DatabaseReader['engine'], value: Sql): SqlField => ({
  kind: 'text',
  value,
  folded: { subject: sql`lower(${byCodePoint(engine, value)})`, fold: foldAscii },
})

/** A name with a folded column. Names match in any spelling. */
export const nameField = (name: Sql, key: Sql): SqlField => ({
  kind: 'text',
  value: name,
  folded: { subject: key, fold: foldName },
  equality: { subject: key, fold: nameKey },
})

/** The fields of a list, each read by an expression. */
export function sqlFieldsOf<Field extends string>(
  engine: DatabaseReader['engine'],
  { kinds, enumerated }: QueryFields<Field>,
  valueOf: (field: Field) => Sql,
): Record<Field, SqlField> {
  const names = Object.keys(kinds) as Field[]
  return Object.fromEntries(
    names.map((name): [Field, SqlField] => {
      const field = { ...textField(engine, valueOf(name)), kind: kinds[name] }
      return [name, enumerated.has(name) ? { ...field, equality: field.folded } : field]
    }),
  ) as Record<Field, SqlField>
}

/** What a list selects from. */
export interface RowSource<Field extends string> {
  readonly columns: Sql
  /** Tables and joins. */
  readonly from: Sql
  /** What the caller may see. */
  readonly conditions: readonly Sql[]
  readonly fields: Readonly<Record<Field, SqlField>>
  readonly searched: readonly Field[]
  /** The fields for which equality is quick. Default: all, because the table is small. `none`: no list is quick. */
  readonly indexed?: ReadonlySet<string> | 'none'
  /** The expression of the id, by which ties are sorted, by code point. */
  readonly id: Sql
}

export type RowQuery<Field extends string> = Pick<
  ListQuery<Field>,
  'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'
>

/** Equality is quick. Everything else may read the whole table. */
function isQuick(condition: Condition<string>, indexed: RowSource<string>['indexed']): boolean {
  if (indexed === 'none') return false
  if (condition.kind === 'all') return condition.conditions.every((each) => isQuick(each, indexed))
  return (
    condition.kind === 'field' &&
    /^(?:equals|in)$/.test(condition.comparison) &&
    (indexed?.has(condition.field) ?? true)
  )
}

interface ListOptions {
  /** The user whose turn in the queue a slow query takes. */
  readonly requester?: Requester | undefined
  readonly counts?: boolean
  /** The direction of the id, if nothing else is sorted by. */
  readonly descending?: boolean
}

/** Rows of a query that runs on the serving thread. */
const quickRows = 128

/** Renders the filter of a list as SQL. */
export function createRowFilter(engine: DatabaseReader['engine']) {
  const { compareText, compareValues } = createCompare(engine)

  function compare(
    { kind, value, folded, equality }: SqlField,
    { comparison, values }: Pick<FieldCondition<string>, 'comparison' | 'values'>,
  ): Sql {
    if (kind !== 'text') return compareValues(value, comparison, values.map(Number))
    const texts = values as readonly string[]
    if (!equalities.has(comparison)) {
      return compareText(value, folded.subject, comparison, texts, folded.fold)
    }
    // Without a collation, so that PostgreSQL can use the index.
    return equality
      ? compareValues(equality.subject, comparison, texts.map(equality.fold))
      : compareValues(value, comparison, texts)
  }

  return function where<Field extends string>(
    source: Pick<RowSource<Field>, 'fields' | 'searched'>,
    condition: Condition<Field>,
  ): Sql {
    switch (condition.kind) {
      case 'field':
        return compare(source.fields[condition.field], condition)
      case 'search': {
        const contains = { comparison: 'contains', values: [condition.text] } as const
        return anyOf(source.searched.map((field) => compare(source.fields[field], contains)))
      }
      case 'all':
        return allOf(condition.conditions.map((each) => where(source, each)))
      case 'any':
        return anyOf(condition.conditions.map((each) => where(source, each)))
      case 'not':
        // NULL never matches a filter, so it always matches the negated one.
        return sql`not coalesce(${where(source, condition.condition)}, false)`
    }
  }
}

/** Runs the lists of all resources but servers, with plain SQL. */
export function createListRows({ engine, db, run }: DatabaseReader) {
  const where = createRowFilter(engine)

  /** The sort terms. The id comes last, so that the order is total. */
  function termsOf<Field extends string>(
    { fields, id }: Pick<RowSource<Field>, 'fields' | 'id'>,
    order: readonly Order<Field>[],
    idDescending: boolean,
  ): SortTerm[] {
    const terms = order.map(({ field, descending }): SortTerm => {
      const { kind, value } = fields[field]
      const subject = kind === 'text' ? byCodePoint(engine, value) : value
      return { subject, descending, mayBeNull: kind === 'timestamp' }
    })
    const descending = order.at(-1)?.descending ?? idDescending
    return [...terms, { subject: id, descending, mayBeNull: false }]
  }

  /** The columns, and the sort keys as `key0`, `key1` and so on. The last one is the id. */
  const select = <Field extends string>(
    { columns, from }: RowSource<Field>,
    terms: readonly SortTerm[],
    conditions: readonly Sql[],
  ): Sql =>
    sql`select ${columns}, ${sql.join(terms.map(({ subject }, at) => sql`${subject} as ${sql.ref(`key${at}`)}`))} from ${from} where ${allOf(conditions)}`

  const positionOf = (row: Row, order: readonly unknown[]): Position => ({
    keys: order.map((_, at) => row[`key${at}`] as SortKey),
    id: String(row[`key${order.length}`]),
  })

  /** The position of a marker, which is one of Muster's or the id of a visible row. */
  async function positionAfter<Field extends string>(
    source: RowSource<Field>,
    terms: readonly SortTerm[],
    query: RowQuery<Field>,
    marker: string,
    turn: Requester | 'quick',
  ): Promise<Position> {
    if (isMarker(marker)) {
      const kinds = Object.fromEntries(
        query.order.map(({ field }) => [field, source.fields[field].kind]),
      ) as Record<Field, FieldKind>
      return readMarker(kinds, marker, query)
    }
    const conditions = [...source.conditions, sql`${source.id} = ${marker}`]
    const [[row] = []] = await run([select(source, terms, conditions).compile(db)], turn)
    if (!row) throw badField('marker', 'does not exist in this list. Start from the first page.')
    return positionOf(row, query.order)
  }

  async function read<Field extends string>(
    source: RowSource<Field>,
    terms: readonly SortTerm[],
    query: RowQuery<Field>,
    turn: Requester | 'quick',
    counts: boolean,
  ) {
    const { order, limit, offset, marker } = query
    const rest =
      marker === undefined
        ? []
        : [after(terms, await positionAfter(source, terms, query, marker, turn))]
    const matching = [...source.conditions, where(source, query.where)]
    const isWhole = limit === Infinity
    const page = sql` limit ${limit + 1} offset ${offset}`
    const queries = [
      sql`${select(source, terms, [...matching, ...rest])} order by ${orderBy(terms)}${isWhole ? sql`` : page}`,
      ...(counts ? [sql`select count(*) as n from ${source.from} where ${allOf(matching)}`] : []),
    ]
    const [found = [], counted] = await run(
      queries.map((each) => each.compile(db)),
      turn,
    )
    const rows = isWhole ? found.slice(offset) : found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    return {
      rows,
      next: last && writeMarker(query, positionOf(last, order)),
      total: counted && Number(counted[0]?.['n']),
    }
  }

  /**
   * A page, or with an infinite limit the whole list. The first rows of a quick query are read at once.
   * The others are read apart from the serving thread, so that quick requests do not wait for them.
   */
  return async function listRows<Field extends string, Item>(
    source: RowSource<Field>,
    query: RowQuery<Field>,
    toItem: (row: Row) => Item,
    { requester, counts = true, descending = false }: ListOptions = {},
  ): Promise<Page<Item>> {
    const { order, limit, offset, marker } = query
    const terms = termsOf(source, order, descending)
    const turn = requester && !isQuick(query.where, source.indexed) ? requester : 'quick'
    const isCounted = counts && !(limit === Infinity && marker === undefined)
    const firstLimit = requester && turn === 'quick' ? Math.min(limit, quickRows) : limit
    const first = await read(source, terms, { ...query, limit: firstLimit }, turn, isCounted)
    const items = first.rows.slice(0, quickRows).map(toItem)
    const addInTurns = async (rows: readonly Row[]) => {
      for await (const some of inTurns(rows)) items.push(...some.map(toItem))
    }
    await addInTurns(first.rows.slice(quickRows))
    let { next } = first
    if (requester && next !== undefined && items.length < limit) {
      const rest = { ...query, offset: 0, marker: next, limit: limit - items.length }
      const others = await read(source, terms, rest, requester, false)
      await addInTurns(others.rows)
      ;({ next } = others)
    }
    return { items, next, total: first.total ?? offset + items.length }
  }
}
