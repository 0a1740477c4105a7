import { sql } from 'kysely'
import { code as codeOfWord } from '../servers/rows.ts'
import { toBits } from '../../domain/inventory/history/change-kinds.ts'
import { partialChangeOf } from '../../domain/inventory/history/partial-change.ts'
import { timePart } from '../../domain/audit/event.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { toEventRecord, waitsForSink, type EventRow } from '../event-store.ts'
import { createInsertRows } from '../insert-rows.ts'
import { tryCommit } from '../servers/commit-servers.ts'
import { createNumbers } from '../servers/numbers.ts'
import { createTextDictionary } from '../servers/text-dictionary.ts'

const batchSize = 200

const changeColumns = [
  'revision',
  'server',
  'kinds',
  'account',
  'project',
  'domain',
  'former_project',
  'former_domain',
  'diff',
] as const

/** What a source reported was an event in earlier versions. People and programs have an address or a name. */
const isOfSource = sql<boolean>`target_type = 'server' and user_id = '' and request_id = '' and ip = ''
  and action in ('create', 'update', 'delete', 'restore')`

/**
 * Makes the events of earlier versions, by which sources told of servers, changes. They get numbers below 0,
 * because only differences are known of them: no moment is rebuilt from them. Each batch is one commit, the
 * newest first, so it goes on after a restart.
 */
export function createMoveEvents(database: DatabaseReader & DatabaseWriter) {
  const { db, commit } = database
  const codesOf = createTextDictionary(database, createNumbers(database))
  const insertCommits = createInsertRows(
    database,
    'change_commits',
    ['revision', 'position', 'time'],
    'refuse',
  )
  const insertChanges = createInsertRows(database, 'server_changes', changeColumns, 'refuse')
  const insertServers = createInsertRows(database, 'former_servers', ['server', 'id'], 'refuse')
  const insertEvents = createInsertRows(database, 'former_events', ['id', 'position'], 'refuse')

  const lowestOf = async (table: 'change_commits' | 'former_servers', column: string) => {
    const { rows } = await sql<{ lowest: number | null }>`select min(${sql.ref(column)}) as lowest
      from ${sql.table(table)}`.execute(db)
    return Math.min(0, rows[0]?.lowest ?? 0)
  }

  /** The numbers of servers by id. Those that are purged get numbers below 0. */
  async function numbersOf(ids: readonly string[]) {
    const stored = db.selectFrom('servers').select(['id', 'seq as server']).where('id', 'in', ids)
    const former = db.selectFrom('former_servers').select(['id', 'server']).where('id', 'in', ids)
    const rows = [...(await former.execute()), ...(await stored.execute())]
    const numbers = new Map(rows.map(({ id, server }) => [id, server]))
    const lowest = await lowestOf('former_servers', 'server')
    const added = ids
      .filter((id) => !numbers.has(id))
      .map((id, at) => [lowest - at - 1, id] as const)
    for (const [server, id] of added) numbers.set(id, server)
    return { numbers, added }
  }

  /** Events of the same time are one commit. Of two about the same server, the other is a millisecond earlier. */
  async function toRows(events: readonly (EventRow & { readonly position: number })[]) {
    const { numbers, added } = await numbersOf([...new Set(events.map((row) => row.target_id))])
    const changes = events.map((row) => ({ row, change: partialChangeOf(toEventRecord(row)) }))
    const words = changes.flatMap(({ change: { owner, formerOwner } }) => [
      ...Object.values(owner),
      ...Object.values(formerOwner),
    ])
    const codes = await codesOf(new Set(['', ...words]))
    const formerCode = (before: string, after: string) =>
      before === after ? null : codeOfWord(codes, before)
    const commits: number[][] = []
    let inCommit = new Set<number>()
    let lastTime = Infinity
    let position = await lowestOf('change_commits', 'position')
    const rows = changes.map(({ row, change: { kinds, owner, formerOwner, diff } }) => {
      const server = numbers.get(row.target_id) as number
      if (row.time < lastTime || inCommit.has(server)) {
        position -= 1
        lastTime = Math.min(row.time, lastTime - 1)
        commits.push([position, position, lastTime])
        inCommit = new Set()
      }
      inCommit.add(server)
      return [
        position,
        server,
        toBits(kinds),
        codeOfWord(codes, ''),
        codeOfWord(codes, owner.projectId),
        codeOfWord(codes, owner.domainId),
        formerCode(formerOwner.projectId, owner.projectId),
        formerCode(formerOwner.domainId, owner.domainId),
        JSON.stringify(diff),
      ]
    })
    return { commits, rows, added }
  }

  /** Returns whether there may be more. */
  return async function moveEvents(now: number): Promise<boolean> {
    const ready = db
      .selectFrom('events')
      .selectAll()
      .where(isOfSource)
      .where((where) => where.not(waitsForSink(now)))
      .orderBy('id', 'desc')
    const first = await ready.limit(batchSize).execute()
    const last = first.at(-1)
    if (!last) return false
    // No two commits have the same time.
    const sameTime = ready.where('id', '<', last.id).where('id', '>=', timePart(last.time))
    const events = [...first, ...(await sameTime.execute())]
    const { commits, rows, added } = await toRows(events)
    const ids = events.map(({ id }) => id)
    // Another process may be first.
    await tryCommit(() =>
      commit([
        ...insertEvents(events.map(({ id, position }) => [id, position])),
        ...insertServers(added),
        ...insertCommits(commits),
        ...insertChanges(rows),
        db.deleteFrom('events').where('id', 'in', ids).compile(),
      ]),
    )
    return true
  }
}
