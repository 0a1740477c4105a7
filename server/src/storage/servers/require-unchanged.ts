import { sql } from 'kysely'
import type { Found } from '../../domain/inventory/ports.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { chunk } from '../../domain/chunk.ts'

/**
 * Optimistic lock: fails the commit if one of the servers was changed meanwhile. Revisions only
 * increase, so their sum is enough. PostgreSQL locks the rows in a fixed order until the commit, so a
 * concurrent writer waits and then finds other revisions.
 */
export function requireUnchanged(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  stored: readonly Found[],
): Statement[] {
  const lock = engine === 'postgres' ? sql`order by seq for update` : sql``
  const sorted = stored.toSorted((a, b) => a.seq - b.seq)
  return [...chunk(sorted)].map((piece) => {
    const sum = piece.reduce((total, { revision }) => total + revision, 0)
    const seqs = sql.join(piece.map(({ seq }) => seq))
    const rows = sql`select revision from servers where seq in (${seqs}) ${lock}`
    const check = sql`select 1 as one from (select count(*) as n, sum(revision) as revisions from (${rows}) as found) as stored where n = ${piece.length} and revisions = ${sum}`
    return required(check.compile(db), 'revision')
  })
}
