import { sql } from 'kysely'
import { fields } from '../../../domain/inventory/fields.ts'
import type { Field } from '../../../domain/inventory/condition.ts'
import type { Order } from '../../../domain/inventory/server-list/server-query.ts'
import type { Position } from '../../../domain/query/marker.ts'
import type { DatabaseReader } from '../../database.ts'
import {
  columnOf,
  isOwnerField,
  storageClassOf,
  ownerFields,
  type OwnerField,
} from '../field-columns.ts'
import { after as afterTerms, orderBy as orderByTerms, type SortTerm } from '../../sort-terms.ts'
import { byCodePoint, type Sql } from '../../sql-parts.ts'

const neverNull: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/** Builds `order by` terms. The id comes last, so that the order is total and equal on both engines. */
export function createOrderTerms(engine: DatabaseReader['engine']) {
  const ownerName = (field: OwnerField): Sql =>
    sql`coalesce(${sql.ref(`${ownerFields[field].id}_names.${ownerFields[field].name}`)}, '')`

  /** Joins the names of owners by the code of their id. */
  const ownerNames = (id: string): Sql =>
    sql` left join (select words.code, projects.name as project, domains.name as domain from projects join domains on domains.id = projects.domain_id join words on words.word = projects.id) as ${sql.ref(`${id}_names`)} on ${sql.ref(`${id}_names.code`)} = ${sql.ref(`servers.${id}`)}`

  function subjectOf(field: Field): Sql {
    if (isOwnerField(field)) return byCodePoint(engine, ownerName(field))
    const column = columnOf(field)
    switch (storageClassOf(column)) {
      case 'dictionary':
        return byCodePoint(
          engine,
          sql`(select word from words where code = servers.${sql.ref(column)})`,
        )
      case 'text':
      case 'lowercase':
        return byCodePoint(engine, sql.ref(column))
      case 'number':
      case 'boolean':
      case 'timestamp':
        return sql.ref(column)
    }
  }

  const term = ({ field, descending }: Order): SortTerm => ({
    subject: subjectOf(field),
    descending,
    mayBeNull: fields[field] === 'timestamp' && !neverNull.has(field),
  })

  function terms(order: readonly Order[]): readonly SortTerm[] {
    const own = order.map(term)
    const last = order.at(-1)
    if (last?.field === 'id') return own
    return [...own, term({ field: 'id', descending: last?.descending ?? true })]
  }

  const orderBy = (order: readonly Order[]): Sql => orderByTerms(terms(order))

  /** The sort keys as columns `key0`, `key1` and so on. The id is not included. */
  const keys = (order: readonly Order[]): Sql =>
    sql.join(order.map(term).map(({ subject }, at) => sql`${subject} as ${sql.ref(`key${at}`)}`))

  const after = (order: readonly Order[], position: Position): Sql =>
    afterTerms(terms(order), position)

  /** The joins that the sort terms need. */
  function names(order: readonly Order[]): Sql {
    const ids = order.flatMap(({ field }) => (isOwnerField(field) ? [ownerFields[field].id] : []))
    return sql.join([...new Set(ids)].map(ownerNames), sql``)
  }

  /** The columns that the sort terms read. */
  const columns = (order: readonly Order[]): readonly string[] => [
    ...order.map(({ field }) => (isOwnerField(field) ? ownerFields[field].id : columnOf(field))),
    'id',
  ]

  return { orderBy, keys, after, names, columns }
}
export type OrderTerms = ReturnType<typeof createOrderTerms>
