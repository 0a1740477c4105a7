import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { createCacheMemory } from '../../domain/cache.ts'
import { timestamp } from '../../domain/timestamp.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { findCommitAt } from './change-store.ts'
import { buildMoment } from './build-moment.ts'

/** Writing so many takes long enough to be interrupted. */
const servers = 600

/** Calls back while a thread builds a moment, when it has begun to write. Returns a function that ends this. */
function onBuilding(callback: (thread: Worker) => void): () => void {
  const note = (thread: Worker) =>
    thread.on('message', (message: object) => {
      if ('progress' in message) callback(thread)
    })
  process.on('worker', note)
  return () => process.off('worker', note)
}

onBothEngines('the thread that builds a moment', (engine) => {
  let fleet: InventoryWorld
  let time: number
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers })
    time = fleet.tick()
    await fleet.record(fleet.world.facts().map(({ facts }) => ({ ...facts, name: 'later' })))
  })

  const dataDir = () => join(fleet.platform.folder, 'data')
  const ask = () =>
    fetch(`${fleet.url}/servers?scope=system&as_of=${timestamp(time)}`, {
      headers: { 'x-auth-token': fleet.callers.admin.token },
    })
  /** The moments of a process. */
  const listFolders = () => {
    const folder = join(dataDir(), 'moments')
    return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)))
  }

  async function build(signal = new AbortController().signal) {
    const { database } = fleet.platform
    const directory = join(fleet.platform.folder, 'moment')
    try {
      const moment = await buildMoment(database, {
        base: undefined,
        commit: (await findCommitAt(database, time)) ?? 0,
        dataDir: dataDir(),
        directory,
        memory: createCacheMemory(2 ** 20),
        queryTimeout: 10_000,
        signal,
        onProgress: () => {},
      })
      await moment.close()
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  test('has ended when it is aborted', async () => {
    const stop = new AbortController()
    const codes: number[] = []
    const end = onBuilding((thread) => {
      thread.on('exit', (code) => codes.push(code))
      stop.abort(new Error('stopped'))
    })
    await assert.rejects(build(stop.signal), /^Error: stopped$/)
    end()
    // It would be 0 after a complete build.
    assert.deepEqual(codes, [1])
  })

  test('reports an error that nothing explains as it is', async () => {
    const { db, commit } = fleet.platform.database
    const setDiff = (diff: string) =>
      commit([sql`update server_changes set diff = ${diff} where diff is not null`.compile(db)])
    const { rows } = await sql<{ diff: string }>`select diff from server_changes
      where diff is not null limit 1`.execute(db)
    await setDiff('{')
    await assert.rejects(build(), SyntaxError)
    await setDiff(rows[0]?.diff ?? '')
  })

  test('leaves nothing when it dies, and the next request builds the moment', async () => {
    const end = onBuilding((thread) => void thread.terminate())
    const [one, other] = await Promise.all([ask(), ask()])
    end()
    assert.deepEqual([one.status, other.status], [503, 503])
    assert.match(await one.text(), /its thread has ended/)
    assert.deepEqual(listFolders(), [])
    assert.equal((await ask()).status, 200)
    // With PostgreSQL, the servers as they are now stay beside it, to be copied.
    assert.equal(listFolders().length, engine === 'sqlite' ? 1 : 2)
  })

  test('is ended when Muster stops', async () => {
    const rename = (name: string) =>
      fleet.record(fleet.world.facts().map(({ facts }) => ({ ...facts, name })))
    // The one before the last: another moment is built already with PostgreSQL.
    await rename('asked for')
    time = fleet.tick()
    await rename('last')
    let closed: Promise<void> | undefined
    const codes: number[] = []
    const end = onBuilding((thread) => {
      end()
      thread.on('exit', (code) => codes.push(code))
      closed = fleet.platform.close(0)
    })
    await ask().catch(() => {})
    await closed
    assert.deepEqual(codes, [1])
  })
})
