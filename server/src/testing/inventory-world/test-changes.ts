import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ReportedServer, Source, SourceKind } from '../../domain/sources/source.ts'
import { createForTest } from './create-for-test.ts'
import { reportGap } from './report-gap.ts'
import { requireServer, scanAll, testTimeout, withSource } from './scan-source.ts'
import { referenceOf } from './server-reference.ts'
import type { SourceBackEnd } from './source-back-end.ts'
import { test } from './timed-test.ts'

/** Servers that are created, stopped, started, renamed and removed at the back end. */
export function testChanges(kind: SourceKind, backEnd: () => SourceBackEnd): void {
  const createIn = (context: TestContext, name: string) => createForTest(context, backEnd(), name)
  const find = async (externalId: string) => {
    const servers = await withSource(kind, backEnd().settings, scanAll)
    return [...servers.values()].find(({ facts }) => facts.external_id === externalId)
  }
  async function requireFound(externalId: string): Promise<ReportedServer> {
    const server = await find(externalId)
    assert.ok(server, `${externalId} is not reported`)
    return server
  }
  const waitForStatus = (id: string, status: string) =>
    eventually(`the status ${status}`, async () => {
      const server = await requireFound(id)
      return server.facts.status === status ? server : undefined
    })

  void test('reports a new server', async (context) => {
    const name = `conformance-${Date.now()}`
    const id = await createIn(context, name)
    const server = requireServer(await requireFound(id), kind.provider)
    assert.equal(server.name, name)
    assert.ok(server.vcpu_count > 0 && server.vmem_size > 0)
    assert.notEqual(server.hypervisor, '')
  })

  void test('keeps the key of a server that stops, starts and is removed', async (context) => {
    const { stop, start, remove, settings } = backEnd()
    const id = await createIn(context, `life-${Date.now()}`)
    const running = await waitForStatus(id, 'running')
    await stop(id)
    const stopped = await waitForStatus(id, 'ready')
    assert.deepEqual(stopped.key, running.key)
    await start(id)
    await waitForStatus(id, 'running')
    await remove(id)
    await eventually('the removal', async () => ((await find(id)) ? undefined : true))
    const get = (source: Source) => source.get(referenceOf(running), testTimeout())
    assert.equal(await withSource(kind, settings, get), undefined)
  })

  void test('keeps two servers with one name apart', async (context) => {
    const name = `twin-${Date.now()}`
    const first = await createIn(context, name)
    const second = await createIn(context, name).catch((error: unknown) => {
      reportGap(context, `The back end refuses it: ${String(error).trim().split('\n').at(-1)}`)
    })
    if (second === undefined) return
    assert.notDeepEqual((await requireFound(first)).key, (await requireFound(second)).key)
  })

  void test('keeps the key of a server that is renamed', async (context) => {
    const { stop, rename } = backEnd()
    if (!rename) return reportGap(context, 'The tests cannot rename a server.')
    const id = await createIn(context, `before-${Date.now()}`)
    await stop(id)
    const before = await waitForStatus(id, 'ready')
    const name = `after-${Date.now()}`
    await rename(id, name)
    const after = await eventually('the new name', async () => {
      const server = await requireFound(id)
      return server.facts.name === name ? server : undefined
    })
    assert.deepEqual(after.key, before.key)
  })
}
