import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { SourceUpdate } from '../../server/src/domain/sources/source.ts'
import type { Database } from '../../server/src/storage/database.ts'
import { createSourceState } from '../../server/src/storage/sources/source-state.ts'
import { onBothEngines } from '../../server/src/testing/engines.ts'
import {
  createStorageLocation,
  type StorageLocation,
} from '../../server/src/testing/open-storage.ts'
import {
  conformanceContext,
  scanAll,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { simulatorKind } from '../../simulator/src/simulator-kind.ts'

const settings = { address: '', credentials: {}, options: { servers: 300, action_delay: 0 } }
const signal = AbortSignal.timeout(60_000)
const at = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href)

/** A process that acts on servers and is killed at the moment it is told that this is done. */
const script = `
import { conformanceContext, sendCall } from ${at('server/src/testing/inventory-world/source-conformance.ts')}
import { openPostgres } from ${at('server/src/storage/postgres/open.ts')}
import { openSqlite } from ${at('server/src/storage/sqlite/open.ts')}
import { createSourceState } from ${at('server/src/storage/sources/source-state.ts')}
import { simulatorKind } from ${at('simulator/src/simulator-kind.ts')}
const { url, folder, settings, calls } = JSON.parse(process.env.ACTS)
const database = await (url ? openPostgres(url, async () => {}) : openSqlite(folder, async () => {}))
const context = { ...conformanceContext, state: createSourceState(database)('account') }
const actor = await simulatorKind.acting.open(settings, context, AbortSignal.timeout(60_000))
for (const [call, externalId] of calls) await sendCall(actor, call, { externalId })
process.kill(process.pid, 'SIGKILL')
`

onBothEngines('what requests did to simulated servers', (engine) => {
  let location: StorageLocation
  let database: Database
  before(async () => {
    location = await createStorageLocation(engine, 'migrated')
    database = await location.open()
    const insert = `insert into cloudaccounts (id, name, name_key, provider, brand, credentials,
      options, project_id, period, enabled, mapping, created_at, revision)
      values ('account', 'a', 'a', 'Simulator', '', '', '{}', '', 30, 1, '[]', 0, 1)`
    await database.commit([{ sql: insert, parameters: [] }])
  })
  after(() => location.remove())

  const open = () => {
    const context = { ...conformanceContext, state: createSourceState(database)('account') }
    return simulatorKind.open(settings, context, signal)
  }

  test('survives a process that is killed, and is told to others that watch', async (t) => {
    const seen = [...(await scanAll(await open())).values()].filter(
      ({ facts }) => facts.status === 'running' && facts.disable_delete === false,
    )
    const ids = seen.map(({ facts }) => facts.external_id ?? '')
    const [stopped = '', deleted = ''] = ids
    // SQLite belongs to one process at a time.
    if (engine === 'sqlite') await database.close()
    const ending = new AbortController()
    t.after(() => ending.abort())
    const { watch } = await open()
    const updates = watch?.(ending.signal)[Symbol.asyncIterator]()
    assert.ok(updates)
    if (engine === 'postgres') await updates.next()

    const calls = [
      [{ kind: 'stop', isForced: false }, stopped],
      [{ kind: 'delete', disks: false, snapshots: false }, deleted],
    ]
    const { url, folder } = location
    const file = join(folder, 'act.mjs')
    writeFileSync(file, script)
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, ACTS: JSON.stringify({ url, folder, settings, calls }) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])

    if (engine === 'postgres') {
      const waiting = new Set([stopped, seen[1]?.key.join()])
      while (waiting.size > 0) {
        const { value } = await updates.next()
        const { present, gone } = value as SourceUpdate
        for (const { facts } of present) {
          if (facts.status === 'ready') waiting.delete(facts.external_id ?? '')
        }
        for (const key of gone) waiting.delete(key.join())
      }
    } else {
      database = await location.open()
    }
    const now = [...(await scanAll(await open())).values()]
    const statusOf = (id: string) => now.find(({ facts }) => facts.external_id === id)?.facts.status
    assert.deepEqual([statusOf(stopped), statusOf(deleted)], ['ready', undefined])
  })
})
