import { sql } from 'kysely'
import { toBits } from '../../domain/inventory/history/change-kinds.ts'
import type {
  ChangeMarker,
  ChangeQuery,
  ChangeStore,
} from '../../domain/inventory/history/ports.ts'
import { isPartial, withPartialVersions } from '../../domain/inventory/history/partial-change.ts'
import { undoChanges } from '../../domain/inventory/history/undo-changes.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { allOf, among, amongWords, codeOf, everything, nothing, type Sql } from '../sql-parts.ts'
import { changeColumns, fromChanges, toChangeRecord } from './change-rows.ts'
import { createReadVersions } from './read-versions.ts'

/** A server that moved is visible to its owners before and after. */
function visibleIn(scope: ScopeOrNone): Sql {
  const ofOwner = (kind: 'project' | 'domain', id: string) =>
    sql`(${sql.ref(kind)} = ${codeOf(id)} or ${sql.ref(`former_${kind}`)} = ${codeOf(id)})`
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return ofOwner('domain', scope.domainId)
    case 'project':
      return ofOwner('project', scope.projectId)
    case 'none':
      return nothing
  }
}

/** The account before it is not stored, so changes that can be of another one are found too. */
const ofAccounts = (ids: readonly string[]): Sql =>
  ids.length === 0
    ? everything
    : sql`(${amongWords(sql.ref('changed.account'), ids)} or change_commits.position < 0
        or (changed.kinds & ${sql.lit(toBits(['moved', 'returned', 'gone']))}) <> 0)`

/** The conditions of a filter. They find some more changes than it matches. */
const filterOf = ({
  scope,
  kinds,
  serverIds,
  accountIds,
}: Pick<ChangeQuery, 'scope' | 'kinds' | 'serverIds' | 'accountIds'>): Sql[] => [
  visibleIn(scope),
  ...(kinds.length === 0 ? [] : [sql`(changed.kinds & ${sql.lit(toBits(kinds))}) <> 0`]),
  ...(serverIds.length === 0
    ? []
    : [
        sql`changed.server in (select seq from servers where ${among(sql.ref('id'), serverIds)}
          union all select server from former_servers where ${among(sql.ref('id'), serverIds)})`,
      ]),
  ofAccounts(accountIds),
]

const isCheck = toBits(['check'])

const order = (descending: boolean): Sql => {
  const direction = sql.raw(descending ? 'desc' : 'asc')
  return sql`order by change_commits.time ${direction}, change_commits.position ${direction},
    changed.server ${direction}`
}

/** After the change of a server in the commit at a time. */
function isAfter({ time, serverId }: ChangeMarker, descending: boolean): Sql {
  const comparison = sql.raw(descending ? '<' : '>')
  const seq = sql`(select last.server from server_changes as last
    inner join change_commits as its on its.revision = last.revision
    where its.time = ${time} and last.server in (select seq from servers where id = ${serverId}
      union all select server from former_servers where id = ${serverId}) limit 1)`
  return sql`(change_commits.time ${comparison} ${time}
    or (change_commits.time = ${time} and changed.server ${comparison} ${seq}))`
}

/** Lists the changes of servers, and rebuilds the versions before and after them. */
export function createChangeStore(database: DatabaseReader): ChangeStore {
  const { db, run } = database
  const readVersions = createReadVersions(database)

  return {
    async list({ scope, since, until, kinds, serverIds, accountIds, after, ...query }) {
      const { descending, limit, requester } = query
      const conditions = [
        ...filterOf({ scope, kinds, serverIds, accountIds }),
        sql`changed.kinds <> 0`,
        ...(since === undefined ? [] : [sql`change_commits.time >= ${since}`]),
        ...(until === undefined ? [] : [sql`change_commits.time < ${until}`]),
        ...(after === undefined ? [] : [isAfter(after, descending)]),
      ]
      const page = sql`select ${changeColumns} ${fromChanges} where ${allOf(conditions)}
        ${order(descending)} limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toChangeRecord)
    },

    async listAfter({ commit, seq }, limit, requester, filter) {
      const conditions = [
        // Without this condition, no index would be used.
        sql`change_commits.position >= ${commit}`,
        sql`(change_commits.position > ${commit} or changed.server > cast(${seq} as bigint))`,
        sql`changed.kinds <> 0`,
        ...(filter ? [...filterOf(filter), sql`change_commits.position <= ${filter.until}`] : []),
      ]
      const page = sql`select ${changeColumns} ${fromChanges} where ${allOf(conditions)}
        order by change_commits.position, changed.server limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toChangeRecord)
    },

    newestCommit: () => findNewestCommit(database),

    purgedCommit: () => findPurgedCommit(database),

    async changedServers({ scope, from: first, until }, limit, requester) {
      const id = sql`coalesce((select id from servers where seq = server),
        (select id from former_servers where former_servers.server = changed.server))`
      const servers = sql`select server as seq, ${id} as id from (
        select distinct server ${fromChanges} where change_commits.position > ${first}
          and change_commits.position <= ${until} and changed.kinds <> 0 and ${visibleIn(scope)}
        limit ${limit}) as changed`
      const [rows = []] = await run([servers.compile(db)], requester)
      return rows.map(({ seq, id }) => ({ seq: Number(seq), id: id as string }))
    },

    async versionsAfter(seqs, commits, requester) {
      const { versionAt } = await readVersions(
        seqs.flatMap((seq) => commits.map((commit) => ({ seq, commit }))),
        requester,
      )
      return new Map(
        seqs.map((seq) => [seq, commits.map((commit) => versionAt({ seq, commit }))] as const),
      )
    },

    async listBetween({ commit, seq }, until, limit, requester) {
      const page = sql`select ${changeColumns} ${fromChanges}
        where (change_commits.position, changed.server) > (${commit}, ${seq})
        and change_commits.position <= ${until} and changed.kinds <> ${isCheck}
        order by change_commits.position, changed.server limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toChangeRecord)
    },

    async withVersions(changes, requester) {
      const whole = changes.filter((change) => !isPartial(change))
      if (whole.length === 0) return changes.map(withPartialVersions)
      const { versionAt } = await readVersions(
        whole.map(({ position }) => position),
        requester,
      )
      return changes.map((record) => {
        if (isPartial(record)) return withPartialVersions(record)
        const after = versionAt(record.position)
        return { record, before: undoChanges(after, [record]), after }
      })
    },
  }
}

const readNumbers = ({ db }: DatabaseReader) =>
  db
    .selectFrom('fleet_numbers')
    .select(['recorded_since', 'purged_position'])
    .executeTakeFirstOrThrow()

/** The first time about which the inventory can be asked. Of commits below 0, only differences are known. */
export async function findFirstTime(database: DatabaseReader): Promise<number> {
  const { recorded_since: since, purged_position: purged } = await readNumbers(database)
  if (purged > 0) return since
  const first = await database.db
    .selectFrom('change_commits')
    .select('time')
    .where('position', '>', 0)
    .orderBy('time')
    .limit(1)
    .executeTakeFirst()
  return Math.min(since, first?.time ?? since)
}

/** The last commit whose changes were purged; 0 if there is none. */
export async function findPurgedCommit(database: DatabaseReader): Promise<number> {
  const { purged_position: purged } = await readNumbers(database)
  return purged
}

/** The last commit at this time or earlier. The inventory before all stored changes is that of the last purged one. */
export async function findCommitAt(database: DatabaseReader, time: number): Promise<number> {
  const last = await database.db
    .selectFrom('change_commits')
    .select('position')
    .where('time', '<=', time)
    .where('position', '>', 0)
    .orderBy('time', 'desc')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Math.max(last?.position ?? 0, await findPurgedCommit(database))
}

export async function findNewestCommit({ db }: DatabaseReader): Promise<number> {
  const newest = await db
    .selectFrom('change_commits')
    .select((eb) => eb.fn.max('position').as('position'))
    .executeTakeFirst()
  // Changes of earlier versions of Muster have positions below 0.
  return Math.max(0, newest?.position ?? 0)
}
