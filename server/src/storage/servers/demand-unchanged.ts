import { sql, type Kysely } from 'kysely'
import type { Found } from '../../domain/inventory/ports.ts'
import { required, type Statement } from '../database.ts'
import type { Tables } from '../tables.ts'
import { inPieces } from './in-pieces.ts'

/** Nothing is written over what somebody else wrote meanwhile: revisions only grow, so their sum tells. */
export function demandUnchanged(read: Kysely<Tables>, kept: readonly Found[]): Statement[] {
  return [...inPieces(kept)].map((piece) => {
    const sum = piece.reduce((total, { revision }) => total + revision, 0)
    const seqs = sql.join(piece.map(({ seq }) => seq))
    const check = sql`select 1 as one from (select count(*) as n, sum(revision) as revisions from servers where seq in (${seqs})) as kept where n = ${piece.length} and revisions = ${sum}`
    return required(check.compile(read), 'revision')
  })
}
