import { maxGroupValues } from '@muster/contract'
import { sql } from 'kysely'
import type { Owners } from '../../domain/inventory/owners.ts'
import type { ScopedQuery, Statistics } from '../../domain/inventory/ports.ts'
import type { Grouping } from '../../domain/inventory/server-list/server-query.ts'
import { columnOf, isOwnerField, storageClassOf, ownerFields } from './field-columns.ts'
import { storedCounts } from './server-list/count-matches.ts'
import { isCombinedColumn, isFacet, type Facet } from './counts.ts'
import type { Plan, Planner } from './server-list/query-planner.ts'
import { isEverything } from './server-list/query-results.ts'
import { sums, toSum } from './sums.ts'
import { readTagKey } from './tags.ts'
import { createToGroups } from './to-groups.ts'
import { allOf, byCodePoint, codeOf, type Sql } from '../sql-parts.ts'

/** Counts of all visible live servers are stored, see counts.ts. */
const isCounted = ({ isLive, query }: Plan) => isLive && isEverything(query.where)

const counts = ({ scope }: Plan, facet: Facet): Sql =>
  sql`server_counts where facet = ${facet}${scope ? sql` and ${scope.condition}` : sql``}`

/** Counts servers and their total sizes by group. */
export function createStatistics(
  { engine, run, plan: planFor, findSelectiveLookup, hint }: Planner,
  owners: Owners,
) {
  const toGroups = createToGroups(owners)

  const grouped = (key: Sql, count: Sql, source: Sql) =>
    sql`select ${key} as value, ${count} as count, ${sums} from ${source} group by 1`

  /** Replaces dictionary codes by words, one lookup per group. */
  const named = (codes: Sql) =>
    sql`select word as value, count, vcpu_count, vmem_size, disk from (${codes}) as coded left join words on words.code = coded.value where count > 0`

  /** Uses the stored counts; undefined if the filter or the group is not counted. */
  function fromCounts(plan: Plan, grouping: Grouping): Sql | undefined {
    if (!('field' in grouping)) return undefined
    const { field } = grouping
    const servers = sql`sum(servers)`
    if (isCounted(plan) && isFacet(field))
      return named(grouped(sql.ref('value'), servers, counts(plan, field)))
    const [column = ''] = columnsFor(grouping)
    const stored = column === 'project_id' ? storedCounts(plan) : plan.combinations
    return stored && (column === 'project_id' || isCombinedColumn(column))
      ? fromRows(stored, grouping, servers)
      : undefined
  }

  /** The total from stored counts; undefined if the filter is not counted. */
  function wholeOf(plan: Plan): Sql | undefined {
    const stored = storedCounts(plan) ?? plan.combinations
    return stored && sql`select coalesce(sum(servers), 0) as count, ${sums} from ${stored}`
  }

  /** Limits the groups, plus one to detect more. Groups by owner name are merged before that. */
  const mostFrequent = (groups: Sql, grouping: Grouping) =>
    'field' in grouping && isOwnerField(grouping.field)
      ? groups
      : sql`select * from (${groups}) as ranked order by count desc, ${byCodePoint(engine, sql`cast(value as text)`)} limit ${maxGroupValues + 1}`

  /** Uses the tag table, which has the sizes of servers. Servers without the tag are the difference. */
  function fromTags(plan: Plan, grouping: Grouping): Sql | undefined {
    const all = wholeOf(plan)
    if (!all || !isCounted(plan) || plan.scope || !('metadataKey' in grouping)) return undefined
    const { bare, origins } = readTagKey(grouping.metadataKey)
    const tags = sql`server_tags where key = ${codeOf(bare)} and origin in (${sql.join(origins)}) and state = 0`
    const tagged = sql`select count(*) as count, ${sums} from ${tags}`
    const untagged = sql`select null as value, whole.count - tagged.count as count, whole.vcpu_count - tagged.vcpu_count as vcpu_count, whole.vmem_size - tagged.vmem_size as vmem_size, whole.disk - tagged.disk as disk from (${all}) as whole, (${tagged}) as tagged where whole.count > tagged.count`
    return sql`${named(grouped(sql.ref('value'), sql`count(*)`, tags))} union all ${untagged}`
  }

  /** Aggregates servers, or the counts of their combinations. */
  function fromRows(source: Sql, grouping: Grouping, all: Sql): Sql {
    if ('metadataKey' in grouping) {
      const { bare, origins } = readTagKey(grouping.metadataKey)
      const value = sql`(select value from server_tags where server = servers.seq and key = ${codeOf(bare)} and origin in (${sql.join(origins)}) order by origin limit 1)`
      return named(grouped(value, all, source))
    }
    const { field } = grouping
    if (isOwnerField(field)) return named(grouped(sql.ref(ownerFields[field].id), all, source))
    const column = sql.ref(columnOf(field))
    const isWord = storageClassOf(columnOf(field)) === 'dictionary'
    return isWord ? named(grouped(column, all, source)) : grouped(column, all, source)
  }

  /** The columns that a grouping reads. */
  function columnsFor(grouping: Grouping): string[] {
    if ('metadataKey' in grouping) return []
    return [
      isOwnerField(grouping.field) ? ownerFields[grouping.field].id : columnOf(grouping.field),
    ]
  }

  /**
   * Computes all groups that need the servers in one pass, because finding the servers may be most of
   * the work, as in a text search. Each grouping has a part number; the total has -1.
   */
  function inOnePass(source: Sql, groupings: readonly Grouping[], withWhole: boolean): Sql {
    const columns = new Set([
      'seq',
      'vcpu_count',
      'vmem_size',
      'disk',
      ...groupings.flatMap(columnsFor),
    ])
    const refs = [...columns].map((name) => sql.ref(name))
    const seen = sql`seen as materialized (select ${sql.join(refs)} from ${source})`
    const servers = sql`seen as servers`
    const whole = sql`select ${sql.lit(-1)} as part, cast(null as text) as value, count(*) as count, ${sums} from ${servers}`
    const parts = groupings.map(
      (grouping, part) =>
        sql`select ${sql.lit(part)} as part, cast(value as text) as value, count, vcpu_count, vmem_size, disk from (${mostFrequent(fromRows(servers, grouping, sql`count(*)`), grouping)}) as counted`,
    )
    return sql`with ${seen} ${sql.join(withWhole ? [whole, ...parts] : parts, sql` union all `)}`
  }

  return async function count(
    query: ScopedQuery & { readonly groups: readonly Grouping[] },
  ): Promise<Statistics> {
    const plan = await planFor(query)
    const lookup = await findSelectiveLookup(plan)
    const conditions = lookup ? [...plan.conditions, lookup.condition] : plan.scanConditions
    const source = sql`servers${hint(lookup ? lookup.index : plan.scanIndexName)} where ${allOf(conditions)}`
    const stored = new Map(
      query.groups.flatMap((group) => {
        const groups = fromCounts(plan, group) ?? fromTags(plan, group)
        return groups ? [[group, mostFrequent(groups, group)] as const] : []
      }),
    )
    const walked = query.groups.filter((group) => !stored.has(group))
    const whole = wholeOf(plan)
    const needsWhole = whole === undefined
    const queries = [
      ...(whole ? [whole] : []),
      ...stored.values(),
      ...(needsWhole || walked.length > 0 ? [inOnePass(source, walked, needsWhole)] : []),
    ]
    const answers = await run(queries, query.requester)
    const seen = answers[queries.length - 1] ?? []
    const partOf = (part: number) => seen.filter((row) => Number(row['part']) === part)
    const [wholeRow] = needsWhole ? partOf(-1) : (answers[0] ?? [])
    const countedGroups = [...stored.keys()]
    const rowsOf = (group: Grouping) =>
      stored.has(group)
        ? (answers[countedGroups.indexOf(group) + (needsWhole ? 0 : 1)] ?? [])
        : partOf(walked.indexOf(group))
    const groups = await Promise.all(
      query.groups.map(
        async (group) => [group.name, await toGroups(rowsOf(group), group)] as const,
      ),
    )
    return { total: toSum(wholeRow), groups: Object.fromEntries(groups) }
  }
}
