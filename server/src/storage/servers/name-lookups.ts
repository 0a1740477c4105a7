import { sql } from 'kysely'
import type { ServerFinder } from '../../domain/inventory/ports.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { createIndexLookups } from './server-list/index-lookups.ts'
import { sortIndex } from './indexes.ts'
import type { Planner } from './server-list/query-planner.ts'
import { byCodePoint, type Sql } from '../sql-parts.ts'
import { createWhere } from './server-list/where.ts'

/** Looks up live servers by name. These are slow queries, because many servers may share a name. */
export function createNameLookups(
  { engine }: Pick<DatabaseReader, 'engine'>,
  { run, select }: Planner,
): Pick<ServerFinder, 'findByName' | 'findSharedNames'> {
  const indexLookups = createIndexLookups(engine, createWhere({ engine, owners: new Map() }))
  const subject = byCodePoint(engine, sql.ref('name'))

  const selectLive = (columns: Sql, scope: ScopeOrNone, conditions: readonly Sql[]) => {
    const within = indexLookups.ofScope(scope)
    return select(columns, sortIndex('name'), [
      sql`state = 0`,
      ...conditions,
      ...(within ? [within.condition] : []),
    ])
  }

  return {
    async findByName(scope, name, most, requester) {
      const named = selectLive(sql`id`, scope, [sql`${subject} = ${name}`])
      const [rows = []] = await run([sql`${named} order by id limit ${most}`], requester)
      return rows.map(({ id }) => String(id))
    },

    async findSharedNames(scope, most, requester) {
      const folded = sql`lower(${subject})`
      const names = selectLive(sql`${folded} as folded`, scope, [])
      const [rows = []] = await run(
        [sql`${names} group by ${folded} having count(*) > 1 limit ${most}`],
        requester,
      )
      return rows.map((row) => String(row['folded']))
    },
  }
}
