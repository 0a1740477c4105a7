import { sql } from 'kysely'
import { origins } from '../../domain/inventory/metadata.ts'
import type { ServerFinder } from '../../domain/inventory/ports.ts'
import type { DatabaseReader } from '../database.ts'
import { byCodePoint } from '../sql-parts.ts'
import { createIndexLookups } from './server-list/index-lookups.ts'
import type { Planner } from './server-list/query-planner.ts'
import { originOf, storedOrigins } from './tags.ts'
import { createWhere } from './server-list/where.ts'

/** Counts the tags of live servers. It reads all tags in the scope, so it is a slow query. */
export function createCountTags(
  { engine }: Pick<DatabaseReader, 'engine'>,
  { run }: Planner,
): ServerFinder['countTags'] {
  const indexLookups = createIndexLookups(engine, createWhere({ engine, owners: new Map() }))
  const stopCheck = engine === 'sqlite' ? sql` and (server & 63 or check_stop())` : sql``

  return async function countTags({ scope, origins: wanted, isKeyOnly, limit, offset, requester }) {
    const within = indexLookups.ofScope(scope)
    const visible = within
      ? sql` and server in (select seq from servers where state = 0 and ${within.condition})`
      : sql``
    // A source tag that a tag of the user hides is still a source tag.
    const origin = sql`case when origin = ${sql.lit(storedOrigins.overruled)} then ${sql.lit(storedOrigins.source)} else origin end`
    const value = isKeyOnly ? sql`-1` : sql.ref('value')
    const codes = wanted.flatMap((name) => originOf[name])
    // A server has a key once in each group, because its source tag is hidden or not.
    const counted = sql`select ${origin} as origin, key, ${value} as value, count(*) as count from server_tags where state = 0 and origin in (${sql.join(codes)})${stopCheck}${visible} group by 1, 2, 3`
    const text = (column: string) => byCodePoint(engine, sql.ref(column))
    const page = sql`select origin, keys.word as key_word, texts.word as value_word, count, count(*) over () as total from (${counted}) as counted inner join words keys on keys.code = counted.key left join words texts on texts.code = counted.value order by count desc, origin, ${text('keys.word')}, ${text('texts.word')} limit ${limit} offset ${offset}`
    const [rows = []] = await run([page], requester)
    const total = sql`select count(*) as total from (${counted}) as counted`
    // A page beyond the end has no row with the total.
    const [totals = []] = rows.length === 0 && offset > 0 ? await run([total], requester) : [rows]
    const names = Object.entries(originOf)
    return {
      total: Number(totals[0]?.['total'] ?? 0),
      items: rows.map((row) => {
        const [name] = names.find(([, each]) => each.includes(Number(row['origin']))) ?? []
        const prefix = origins[name as keyof typeof origins]
        return {
          key: `${prefix}${String(row['key_word'])}`,
          ...(!isKeyOnly && { value: String(row['value_word']) }),
          count: Number(row['count']),
        }
      }),
    }
  }
}
