import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { makeAccount, makeSeen } from '../../testing/inventory-world/in-memory-sync.ts'
import { createResourceCollector } from './collect-resources.ts'

test('a collector keeps the manager of each tenant, but none of its servers', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const collector = createResourceCollector(makeAccount())
  const ids = Array.from({ length: 20 }, (_, number) => `t${number}`)
  const servers = ids.map((id) => {
    const server = { ...makeSeen(id), tenant: { id, name: `tenant ${id}` } }
    collector.addServer(server)
    return new WeakRef(server)
  })
  await new Promise(setImmediate)
  collectGarbage()
  // The last one is the current one.
  assert.ok(servers.filter((server) => server.deref()).length <= 1)
  const managers = collector.seen(true).filter(({ kind }) => kind === 'cloudproviders')
  assert.deepEqual(
    managers.map(({ object }) => [object['name'], object['external_id']]),
    ids.map((id) => [`tenant ${id}`, id]),
  )
})
