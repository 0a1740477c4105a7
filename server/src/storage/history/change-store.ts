import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import { upgradeServer } from '../../domain/inventory/build-server.ts'
import { fromBits, toBits } from '../../domain/inventory/history/change-kinds.ts'
import type {
  ChangeMarker,
  ChangePosition,
  ChangeQuery,
  ChangeRecord,
  ChangeStore,
  ServerChange,
} from '../../domain/inventory/history/ports.ts'
import { isPartial, withPartialVersions } from '../../domain/inventory/history/partial-change.ts'
import type { ServerDiff } from '../../domain/inventory/history/server-diff.ts'
import type { StoredServer } from '../../domain/inventory/ports.ts'
import { undoChanges } from '../../domain/inventory/history/undo-changes.ts'
import { inTurns, nextTurn } from '../../domain/next-turn.ts'
import type { Requester } from '../../domain/requester.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import { timestampOfMicroseconds } from '../../domain/timestamp.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { storedColumns, toStored, type StoredRow } from '../servers/server-writer.ts'
import { allOf, among, amongWords, codeOf, everything, nothing, type Sql } from '../sql-parts.ts'
import { unpackVersion } from './packed-version.ts'

/** So many servers are parsed, and changes undone, in a few milliseconds. */
const serversInTurn = 40
const undoneInTurn = 200

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

const textOf = (column: string): Sql =>
  sql`(select word from words where code = ${sql.ref(`changed.${column}`)}) as ${sql.ref(column)}`

const columns = sql.join([
  ...['time', 'position'].map((name) => sql.ref(`change_commits.${name}`)),
  ...[
    'server',
    'kinds',
    'former_updated_at',
    'source_time',
    'task_id',
    'request_id',
    'diff',
    'former_version',
  ].map((name) => sql.ref(`changed.${name}`)),
  ...['account', 'project', 'domain', 'former_project', 'former_domain'].map(textOf),
])

const isFirst = toBits(['appeared'])
const isCheck = toBits(['check'])

function toRecord(row: Row): ChangeRecord {
  const text = (name: string) => (row[name] as string | null) ?? ''
  const projectId = text('project')
  const domainId = text('domain')
  const kinds = Number(row['kinds'])
  const packed = row['former_version'] as Uint8Array | null
  const sourceTime = row['source_time']
  return {
    position: {
      time: Number(row['time']),
      commit: Number(row['position']),
      seq: Number(row['server']),
    },
    kinds: fromBits(kinds),
    isFirst: (kinds & isFirst) !== 0,
    ...(packed && { formerVersion: upgradeServer(unpackVersion(packed)) }),
    formerUpdatedAt: timestampOfMicroseconds(Number(row['former_updated_at'])),
    diff: row['diff'] === null ? {} : (JSON.parse(text('diff')) as ServerDiff),
    owner: { projectId, domainId },
    formerOwner: {
      projectId: text('former_project') || projectId,
      domainId: text('former_domain') || domainId,
    },
    accountId: text('account'),
    sourceTime: sourceTime === null ? null : Number(sourceTime),
    taskId: text('task_id'),
    requestId: text('request_id'),
  }
}

/** Reads the changes of servers. */
export function createChangeQueries({ db, run }: DatabaseReader) {
  const from = sql`from change_commits
    inner join server_changes as changed on changed.revision = change_commits.revision`

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

  const documentsOf = (seqs: readonly number[]) =>
    db.selectFrom('server_documents').select(storedColumns).where('server', 'in', seqs).compile()

  /**
   * The current versions of these servers, and all their changes from a commit on, the newest first. Both
   * are of one snapshot: otherwise a change could be missing.
   */
  async function historyOf(seqs: readonly number[], earliest: number, requester: Requester) {
    const current = new Map<number, StoredServer>()
    const changes = new Map<number, ChangeRecord[]>(seqs.map((seq) => [seq, []]))
    for await (const piece of inTurns(seqs, serversInTurn)) {
      const later = sql`select ${columns} ${from}
        where changed.server in (${sql.join(piece)}) and change_commits.position >= ${earliest}
        ${order(true)}`
      const queries = [documentsOf(piece), later.compile(db)]
      const [documents = [], rows = []] = await run(queries, requester)
      for (const stored of toStored(documents as unknown as StoredRow[])) {
        current.set(stored.seq, stored)
      }
      for (const row of rows) {
        const record = toRecord(row)
        changes.get(record.position.seq)?.push(record)
      }
    }
    return { current, changes }
  }

  return { from, order, isAfter, historyOf }
}

/** Lists the changes of servers, and rebuilds the versions before and after them. */
export function createChangeStore(database: DatabaseReader): ChangeStore {
  const { db, run } = database
  const { from, order, isAfter, historyOf } = createChangeQueries(database)

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
      const page = sql`select ${columns} ${from} where ${allOf(conditions)}
        ${order(descending)} limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toRecord)
    },

    async listAfter({ commit, seq }, limit, requester, filter) {
      const conditions = [
        // Without this condition, no index would be used.
        sql`change_commits.position >= ${commit}`,
        sql`(change_commits.position > ${commit} or changed.server > cast(${seq} as bigint))`,
        sql`changed.kinds <> 0`,
        ...(filter ? [...filterOf(filter), sql`change_commits.position <= ${filter.until}`] : []),
      ]
      const page = sql`select ${columns} ${from} where ${allOf(conditions)}
        order by change_commits.position, changed.server limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toRecord)
    },

    async newestCommit() {
      const newest = await db
        .selectFrom('change_commits')
        .select((eb) => eb.fn.max('position').as('position'))
        .executeTakeFirst()
      // Changes of earlier versions of Muster have positions below 0.
      return Math.max(0, newest?.position ?? 0)
    },

    async hasCommit(commit) {
      const found = await db
        .selectFrom('change_commits')
        .select('position')
        .where('position', '=', commit)
        .executeTakeFirst()
      return found !== undefined
    },

    async changedServers({ scope, from: first, until }, limit, requester) {
      const id = sql`coalesce((select id from servers where seq = server),
        (select id from former_servers where former_servers.server = changed.server))`
      const servers = sql`select server as seq, ${id} as id from (
        select distinct server ${from} where change_commits.position > ${first}
          and change_commits.position <= ${until} and changed.kinds <> 0 and ${visibleIn(scope)}
        limit ${limit}) as changed`
      const [rows = []] = await run([servers.compile(db)], requester)
      return rows.map(({ seq, id }) => ({ seq: Number(seq), id: id as string }))
    },

    async versionsAfter(seqs, [first, second], requester) {
      const { current, changes } = await historyOf(seqs, first + 1, requester)
      const versions = new Map<number, readonly (Server | undefined)[]>()
      for (const seq of seqs) {
        const records = changes.get(seq) ?? []
        const isLater = ({ position }: ChangeRecord) => position.commit > second
        const later = undoChanges(current.get(seq)?.server, records.filter(isLater))
        const earlier = undoChanges(
          later,
          records.filter((record) => !isLater(record)),
        )
        versions.set(seq, [earlier, later])
      }
      return versions
    },

    async listBetween({ commit, seq }, until, limit, requester) {
      const page = sql`select ${columns} ${from}
        where (change_commits.position, changed.server) > (${commit}, ${seq})
        and change_commits.position <= ${until} and changed.kinds <> ${isCheck}
        order by change_commits.position, changed.server limit ${limit}`
      const [rows = []] = await run([page.compile(db)], requester)
      return rows.map(toRecord)
    },

    async withVersions(changes, requester) {
      const whole = changes.filter((change) => !isPartial(change))
      if (whole.length === 0) return changes.map(withPartialVersions)
      const seqs = [...new Set(whole.map(({ position }) => position.seq))]
      const earliest = Math.min(...whole.map(({ position }) => position.commit))
      const { current, changes: later } = await historyOf(seqs, earliest, requester)
      const keyOf = ({ commit, seq }: ChangePosition) => `${commit} ${seq}`
      const wanted = new Set(whole.map(({ position }) => keyOf(position)))
      const found = new Map<string, ServerChange>()
      let undone = 0
      for (const [seq, records] of later) {
        let after = current.get(seq)?.server
        for (const record of records) {
          const before = undoChanges(after, [record])
          const key = keyOf(record.position)
          if (wanted.has(key)) found.set(key, { record, before, after })
          after = before
          undone += 1
          // A server can have thousands of changes.
          if (undone % undoneInTurn === 0) await nextTurn()
        }
      }
      return changes.map((change) =>
        isPartial(change)
          ? withPartialVersions(change)
          : (found.get(keyOf(change.position)) as ServerChange),
      )
    },
  }
}

/** The time of the first recorded commit. Of those below 0, only differences are known. */
export async function findFirstTime({ db }: DatabaseReader): Promise<number | undefined> {
  const first = await db
    .selectFrom('change_commits')
    .select('time')
    .where('position', '>', 0)
    .orderBy('time')
    .limit(1)
    .executeTakeFirst()
  return first?.time
}

/** The last commit at this time or earlier. */
export async function findCommitAt(
  { db }: DatabaseReader,
  time: number,
): Promise<number | undefined> {
  const last = await db
    .selectFrom('change_commits')
    .select('position')
    .where('time', '<=', time)
    .where('position', '>', 0)
    .orderBy('time', 'desc')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.position
}
