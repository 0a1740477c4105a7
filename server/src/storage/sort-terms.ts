import { sql } from 'kysely'
import type { Position, SortKey } from '../domain/query/marker.ts'
import { allOf, anyOf, type Sql } from './sql-parts.ts'

/** One sort key. The last one of a list is the id, so that the order is total. */
export interface SortTerm {
  readonly subject: Sql
  readonly descending: boolean
  /** Timestamps can be NULL, which sorts before all others. */
  readonly mayBeNull: boolean
}

export const orderBy = (terms: readonly SortTerm[]): Sql =>
  sql.join(
    terms.map(({ subject, descending, mayBeNull }) => {
      const direction = sql.raw(descending ? 'desc' : 'asc')
      const nulls = sql.raw(mayBeNull ? (descending ? ' nulls last' : ' nulls first') : '')
      return sql`${subject} ${direction}${nulls}`
    }),
  )

function beyond({ subject, descending, mayBeNull }: SortTerm, key: SortKey): Sql {
  if (key === null) return descending ? sql`1 = 0` : sql`${subject} is not null`
  const further = sql`${subject} ${sql.raw(descending ? '<' : '>')} ${key}`
  return mayBeNull && descending ? sql`(${further} or ${subject} is null)` : further
}

const level = ({ subject }: SortTerm, key: SortKey): Sql =>
  key === null ? sql`${subject} is null` : sql`${subject} = ${key}`

/** The condition for rows after a position (keyset pagination). */
export function after(terms: readonly SortTerm[], { keys, id }: Position): Sql {
  const values = [...keys, id].slice(0, terms.length)
  const [first, second] = terms
  if (terms.length === 2 && first && second && !first.mayBeNull) {
    // A row comparison, for which both engines use an index.
    const sign = sql.raw(first.descending ? '<' : '>')
    return sql`(${first.subject}, ${second.subject}) ${sign} (${values[0]}, ${values[1]})`
  }
  return anyOf(
    terms.map((current, at) =>
      allOf([
        ...terms.slice(0, at).map((earlier, index) => level(earlier, values[index] ?? null)),
        beyond(current, values[at] ?? null),
      ]),
    ),
  )
}
