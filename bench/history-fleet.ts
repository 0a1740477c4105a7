import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '@muster/contract'
import { chunk } from '../server/src/domain/chunk.ts'
import { writeServer } from '../server/src/domain/tasks/accept-task.ts'
import type { Database } from '../server/src/storage/database.ts'
import { openPostgres } from '../server/src/storage/postgres/open.ts'
import { createServerWriter } from '../server/src/storage/servers/server-writer.ts'
import { openSqlite } from '../server/src/storage/sqlite/open.ts'
import type { Fleet } from './fleet.ts'
import { createRandom, shuffle } from './random.ts'
import { newFolder, removeFolder, startServer, type BenchServer } from './server.ts'

export const days = 90
/** The share of the servers that change in a day. */
export const dailyShare = 0.01
const serversPerCommit = 100

const hour = 3_600_000
const day = 24 * hour

/** A fleet in which some servers change each day. */
export interface HistoryFleet extends Pick<Fleet, 'size' | 'engine' | 'systemToken'> {
  /** Open until the fleet is served. */
  readonly database: Database
  readonly keyFile: string
  /** The time of the next changes. */
  readonly clock: () => number
  /** The start of a day, from 0 on, before its changes. */
  startOf(day: number): number
  /** Writes the changes of the next day. */
  addDay(): Promise<void>
  serve(port: number): Promise<BenchServer>
  remove(): void
}

/** Mostly its status, sometimes a tag or its size. */
function change(server: Server, random: number): Server {
  if (random < 0.7) return { ...server, status: server.status === 'running' ? 'ready' : 'running' }
  if (random < 0.9) {
    return { ...server, metadata: { ...server.metadata, 'user:patched': random.toFixed(9) } }
  }
  const vcpu_count = server.vcpu_count + 1
  return { ...server, vcpu_count, vmem_size: vcpu_count * 2_048 }
}

/** A copy of the fleet on SQLite, or the fleet itself on PostgreSQL, which is removed after each run. */
async function open({ engine, folder, databaseUrl, start }: Fleet) {
  if (databaseUrl !== undefined) {
    return {
      engine,
      database: await openPostgres(databaseUrl, async () => {}),
      keyFile: join(folder, 'key'),
      start,
      remove: () => {},
    }
  }
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return {
    engine,
    database: await openSqlite(join(copy, 'data'), async () => {}),
    keyFile: join(copy, 'data', 'secret.key'),
    start: (port: number) => startServer(port, copy),
    remove: () => removeFolder(copy),
  }
}

/** Opens a fleet as if it had been loaded before the first of the days. The days are yet to be added. */
export async function openHistoryFleet(fleet: Fleet): Promise<HistoryFleet> {
  const { start, ...opened } = await open(fleet)
  const { database } = opened
  const { db } = database
  // All is over an hour ago, because nothing is asked about the future.
  const begin = Date.now() - days * day - hour
  const { newest } = await db
    .selectFrom('change_commits')
    .select((eb) => eb.fn.max('time').as('newest'))
    .executeTakeFirstOrThrow()
  const moved = newest - (begin - hour)
  await database.commit([
    db
      .updateTable('change_commits')
      .set((row) => ({ time: row('time', '-', moved) }))
      .compile(),
    // The accounts are as if they had been observed since.
    db.deleteFrom('account_gaps').compile(),
  ])
  const rows = await db.selectFrom('servers').select('id').where('state', '=', 0).execute()
  const ids = rows.map(({ id }) => id).sort()
  const random = createRandom(1)
  let added = 0
  let now = begin
  const clock = () => now
  const serverWriter = createServerWriter(database, clock)

  return {
    ...opened,
    size: fleet.size,
    systemToken: fleet.systemToken,
    clock,
    startOf: (at) => begin + at * day,

    async addDay() {
      const changing = shuffle(ids, added).slice(0, ids.length * dailyShare)
      now = begin + added * day + hour
      for (const piece of chunk(changing, serversPerCommit)) {
        now += 1_000
        const stored = [...(await serverWriter.findStored(piece)).values()]
        const writes = stored.map((one) => writeServer(one, change(one.server, random()), now))
        if (!(await serverWriter.write(writes))) throw new Error('the servers were not written')
      }
      added += 1
      now = begin + added * day - 2 * hour
    },

    async serve(port) {
      if (database.engine === 'postgres') await database.maintain(['analyze'])
      await database.close()
      return await start(port)
    },
  }
}
