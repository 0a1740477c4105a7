import { sql } from 'kysely'
import { origins } from '../../domain/inventory/metadata.ts'
import type { ServerFinder } from '../../domain/inventory/ports.ts'
import type { DatabaseReader } from '../database.ts'
import { byCodePoint } from '../sql-parts.ts'
import { createAccessPaths } from './access-paths.ts'
import type { Planner } from './plan.ts'
import { originOf, storedOrigins } from './tags.ts'
import { createWhere } from './where.ts'

/** Counts the tags of live servers. It reads all tags in the scope, so it is a slow query. */
export function createCountTags(
  { engine }: Pick<DatabaseReader, 'engine'>,
  { run }: Planner,
): ServerFinder['countTags'] {
  const accessPaths = createAccessPaths(engine, createWhere({ engine, owners: new Map() }))

  return async function countTags({ scope, origins: wanted, isKeyOnly, limit, offset, requester }) {
    const within = accessPaths.ofScope(scope)
    const visible = within
      ? sql` and server in (select seq from servers where state = 0 and ${within.condition})`
      : sql``
    // A source tag that a tag of the user hides is still a source tag.
    const origin = sql`case when origin = ${sql.lit(storedOrigins.overruled)} then ${sql.lit(storedOrigins.source)} else origin end`
    const value = isKeyOnly ? sql`-1` : sql.ref('value')
    const codes = wanted.flatMap((name) => originOf[name])
    const counted = sql`select ${origin} as origin, key, ${value} as value, count(distinct server) as count from server_tags where state = 0 and origin in (${sql.join(codes)})${visible} group by 1, 2, 3`
    const text = (column: string) => byCodePoint(engine, sql.ref(column))
    const page = sql`select origin, keys.word as key_word, texts.word as value_word, count from (${counted}) as counted inner join words keys on keys.code = counted.key left join words texts on texts.code = counted.value order by count desc, origin, ${text('keys.word')}, ${text('texts.word')} limit ${limit} offset ${offset}`
    const total = sql`select count(*) as total from (${counted}) as counted`
    const [totals = [], rows = []] = await run([total, page], requester)
    const names = Object.entries(originOf)
    return {
      total: Number(totals[0]?.['total']),
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
