import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { storedSyncs } from '@muster/contract'
import type { SyncRun } from '../../domain/sources/account.ts'
import { newId } from '../../domain/new-id.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { makeAccount } from '../../testing/inventory-world/in-memory-sync.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createAccountStore } from './account-store.ts'
import { createLeaseStore } from './lease-store.ts'
import { createSyncRunStore } from './sync-run-store.ts'

type Secrets = Parameters<typeof createAccountStore>[1]
const secrets = { encrypt: () => 'encrypted' } as unknown as Secrets

const runAt = (started_at: number, changes: Partial<SyncRun> = {}): SyncRun => ({
  started_at,
  finished_at: started_at + 5,
  duration_ms: 5,
  result: 'complete',
  seen: 3,
  created: 2,
  changed: 1,
  gone: 0,
  error: '',
  ...changes,
})

onBothEngines('the last syncs of accounts', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  async function attach() {
    const id = newId()
    const { database } = storage
    const accounts = createAccountStore(database, secrets)
    const leases = createLeaseStore(database, Date.now)
    assert.ok(await accounts.insert(makeAccount({ id, name: id }), {}, makeEvent()))
    assert.ok(await leases.acquire(id, 'this process', 1, 2))
    return {
      id,
      remove: () => accounts.remove(id),
      end: (run: SyncRun, runner = 'this process') =>
        leases.update(id, runner, { error: run.error }, { run }),
      list: () => createSyncRunStore(database).of(id),
    }
  }

  test('are listed newest first, as they ended', async () => {
    const account = await attach()
    const other = await attach()
    const failed = runAt(20, { result: 'failed', seen: 1, error: "It's down.", finished_at: 29 })
    await account.end(runAt(10))
    await account.end({ ...failed, duration_ms: 9 })
    await other.end(runAt(15))
    assert.deepEqual(await account.list(), [{ ...failed, duration_ms: 9 }, runAt(10)])
    assert.deepEqual(await other.list(), [runAt(15)])
  })

  test('are stored by the process that has the lease', async () => {
    const account = await attach()
    await account.end(runAt(10), 'another process')
    assert.deepEqual(await account.list(), [])
  })

  test('have a limit, and the oldest ones go', async () => {
    const account = await attach()
    const other = await attach()
    await other.end(runAt(1))
    for (let at = 1; at <= storedSyncs + 3; at += 1) await account.end(runAt(at))
    const times = (await account.list()).map(({ started_at }) => started_at)
    assert.deepEqual([times.length, times[0], times.at(-1)], [storedSyncs, storedSyncs + 3, 4])
    assert.equal((await other.list()).length, 1)
  })

  test('of a clock that was ahead do not keep later ones out', async () => {
    const account = await attach()
    for (let at = 1; at <= storedSyncs; at += 1) await account.end(runAt(1_000_000 + at))
    const now = runAt(500_000)
    await account.end(now)
    assert.deepEqual(await account.list(), [now])
  })

  test('go with their account', async () => {
    const account = await attach()
    await account.end(runAt(10))
    await account.remove()
    assert.deepEqual(await account.list(), [])
  })
})
