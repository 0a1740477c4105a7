import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import {
  requireServer,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { startExample, type ExampleSimulator } from './example-cloud.ts'
import { loadExample } from './load-example.ts'

const { kind, folder } = await loadExample()

describe('the example in docs/adding-a-source.md', () => {
  let cloud: ExampleSimulator
  let settings: SourceSettings
  before(async () => {
    cloud = await startExample()
    for (const state of ['on', 'off', 'odd']) await cloud.create(state, { state })
    await cloud.createMany(447)
    settings = { address: cloud.url, credentials: { token: cloud.token }, options: {} }
  })
  after(() => {
    rmSync(folder, { recursive: true })
    cloud.close()
  })

  test('reports all servers over several pages', async () => {
    assert.deepEqual(kind.check(settings), [])
    const seen = await withSource(kind, settings, scanAll)
    assert.equal(seen.size, cloud.size())
    const statuses = new Set([...seen.values()].map((one) => requireServer(one, 'Example').status))
    assert.deepEqual(statuses, new Set(['running', 'ready', 'unknown']))
  })

  test('reports one server, and that another does not exist', async () => {
    await withSource(kind, settings, async (source) => {
      const get = (id: string) => source.get(referTo(id), AbortSignal.timeout(5_000))
      const found = await get('m-000002')
      assert.ok(found && 'facts' in found)
      assert.equal(found.facts.status, 'ready')
      assert.equal(await get('m-999999'), undefined)
    })
  })

  test('reports a wrong token and a wrong address', async () => {
    const open = (given: SourceSettings) => withSource(kind, given, scanAll)
    await assert.rejects(open({ ...settings, credentials: { token: 'x' } }), {
      kind: 'credentials',
    })
    await assert.rejects(open({ ...settings, address: 'http://127.0.0.1:1' }), {
      kind: 'unreachable',
    })
    assert.equal(kind.check({ ...settings, address: 'ftp://x' }).length, 1)
  })
})
