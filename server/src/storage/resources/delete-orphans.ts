import { sql } from 'kysely'
import { referencedKinds, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createFormerResources } from '../history/resource-changes.ts'
import { isOrphaned } from './referring-servers.ts'

/** Deletes the resources that no account sees and no server names. */
export function deleteOrphans(
  database: Pick<DatabaseReader, 'engine' | 'db'>,
  revision: number,
  kinds: readonly ReferencedKind[] = referencedKinds,
): Statement[] {
  const former = createFormerResources(database)
  return kinds.flatMap((kind) => [
    former.ofSelected(
      kind,
      sql`select id from ${sql.table(kind)} where ${isOrphaned(kind)}`,
      revision,
    ),
    sql`delete from ${sql.table(kind)} where ${isOrphaned(kind)}`.compile(database.db),
  ])
}
