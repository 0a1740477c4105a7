import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../tables.ts'

interface CheckResult {
  /** What was checked, with counts. */
  readonly checked: string
  readonly problems: readonly string[]
}

/** Checks one aspect of a database. It only reads. */
export type Check = (db: Kysely<Tables>) => Promise<CheckResult>

const formatCount = (count: number): string => count.toLocaleString('en-US')

/** Queries that count wrong rows, by what is wrong with them. */
export type WrongRows = Readonly<Record<string, RawBuilder<unknown>>>

/** A problem for each query that counts any rows. */
export async function countWrongRows(db: Kysely<Tables>, queries: WrongRows): Promise<string[]> {
  const problems: string[] = []
  for (const [title, query] of Object.entries(queries)) {
    const { rows } = await query.execute(db)
    const { count } = rows[0] as { count: number }
    if (count > 0) problems.push(`${title}: ${formatCount(count)}`)
  }
  return problems
}
