import { sql } from 'kysely'
import type { ServerFinder } from '../../domain/inventory/ports.ts'
import type { DatabaseReader } from '../database.ts'
import { createAccessPaths } from './access-paths.ts'
import { sortIndex } from './indexes.ts'
import type { Planner } from './plan.ts'
import { byCodePoint } from '../sql-parts.ts'
import { createWhere } from './where.ts'

/** Finds live servers by name. It runs as a slow query, because many servers may share a name. */
export function createFindByName(
  { engine }: Pick<DatabaseReader, 'engine'>,
  { run, select }: Planner,
): ServerFinder['findByName'] {
  const accessPaths = createAccessPaths(engine, createWhere({ engine, owners: new Map() }))
  const subject = byCodePoint(engine, sql.ref('name'))

  return async function findByName(scope, name, most, requester) {
    const within = accessPaths.ofScope(scope)
    const conditions = [sql`state = 0`, sql`${subject} = ${name}`]
    const named = select(
      sql`id`,
      sortIndex('name'),
      within ? [...conditions, within.condition] : conditions,
    )
    const [rows = []] = await run([sql`${named} order by id limit ${most}`], requester)
    return rows.map(({ id }) => String(id))
  }
}
