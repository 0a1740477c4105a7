import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { createStorageLocation, type StorageLocation } from '../../testing/open-storage.ts'
import { startDatabaseProxy, throughProxy, type TcpProxy } from '../../testing/tcp-proxy.ts'
import type { Database } from '../database.ts'

const commitSetting = (database: Database, key: string) =>
  database.commitIdentity([database.db.insertInto('settings').values({ key, value: '' }).compile()])

describe('two processes on one PostgreSQL', () => {
  let location: StorageLocation
  let near: Database
  let far: Database
  before(async () => {
    location = await createStorageLocation('postgres')
    near = await location.open()
    far = await location.open()
  })
  after(() => location.remove())

  test('SEC-02: see each other’s identity versions', async () => {
    assert.equal(far.currentVersion(), 0)
    for (const [index, [here, there]] of [
      [near, far],
      [far, near],
      [near, far],
    ].entries()) {
      assert.ok(here && there)
      await commitSetting(here, `setting-${index}`)
      // The process that wrote it knows at once.
      assert.equal(here.currentVersion(), index + 1)
      await eventually('the version arrives', () => there.currentVersion() === index + 1, {
        deadline: 5,
      })
    }
  })

  test('SEC-02: count every identity commit once, also when many run together', async () => {
    const first = near.currentVersion() ?? Number.NaN
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        commitSetting(index % 2 ? near : far, `many-${index}`),
      ),
    )
    for (const database of [near, far]) {
      await eventually('all versions arrive', () => database.currentVersion() === first + 20, {
        deadline: 5,
      })
    }
  })

  test('a commit of other data does not raise the identity version', async () => {
    const first = far.currentVersion()
    await near.commit([
      near.db.insertInto('settings').values({ key: 'quiet', value: '' }).compile(),
    ])
    await pause(600)
    assert.equal(far.currentVersion(), first)
  })
})

// Each waits for seconds, so they wait together.
describe('a process that loses its connection', { concurrency: true }, () => {
  const ways = {
    cut: (proxy: TcpProxy) => proxy.cut(),
    silent: (proxy: TcpProxy) => proxy.silence(),
  }
  for (const [how, breakIt] of Object.entries(ways)) {
    test(`SEC-02: notices within five seconds that it is ${how}, and recovers`, async (t) => {
      const location = await createStorageLocation('postgres')
      t.after(() => location.remove())
      const near = await location.open()
      const proxy = await startDatabaseProxy(t, location.url ?? '')
      const far = await location.open(throughProxy(location.url ?? '', proxy))
      assert.equal(far.currentVersion(), 0)

      breakIt(proxy)
      await commitSetting(near, 'unheard')
      // Within the five seconds in which a change must take effect.
      await eventually('the version is not known', () => far.currentVersion() === undefined, {
        deadline: 4,
      })
      await pause(300)
      assert.equal(far.currentVersion(), undefined)

      proxy.restore()
      await eventually('the version is known again', () => far.currentVersion() !== undefined, {
        deadline: 5,
      })
      // The new connection may lead to another server, so no cached version may match.
      const found = far.currentVersion() ?? 0
      assert.notEqual(found, 0)
      assert.notEqual(found, 1)
      await commitSetting(near, 'heard')
      await eventually('the version arrives', () => far.currentVersion() === found + 1, {
        deadline: 5,
      })
    })
  }
})
