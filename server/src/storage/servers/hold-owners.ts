import { sql } from 'kysely'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { stateOf } from './rows.ts'

/**
 * Requires that the projects of the written servers exist, and locks them until the commit. A
 * concurrent deletion either comes first, so that nothing is written, or finds the servers.
 */
export function createHoldOwners({ engine, db }: DatabaseReader) {
  const lock = engine === 'postgres' ? sql`for key share` : sql``
  return function holdOwners(writes: readonly ServerWrite[]): Statement[] {
    const present = writes.filter(({ server }) => stateOf(server) < 2)
    const ids = [...new Set(present.map(({ server }) => server.project_id))]
    if (ids.length === 0) return []
    const held = sql`select id from projects where id in (${sql.join(ids)}) ${lock}`
    const check = sql`select 1 as one from (select count(*) as n from (${held}) as held) as owners where n = ${ids.length}`
    return [required(check.compile(db), 'owners')]
  }
}
