import { sql } from 'kysely'
import type { Found } from '../../domain/inventory/ports.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { chunk } from '../../domain/chunk.ts'

/**
 * Nothing is written over what somebody else wrote meanwhile: revisions only grow, so their sum tells.
 * On PostgreSQL the rows are locked until the commit, in one order: who writes the same servers waits,
 * and then finds other revisions.
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
