import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import type { Source, SourceContext, SourceUpdate } from '../../server/src/domain/sources/source.ts'
import { incusKind } from '../../server/src/sources/incus/incus-kind.ts'
import {
  conformanceContext,
  scanAll,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { scanResources } from '../../server/src/testing/inventory-world/resource-conformance.ts'
import { referenceOf } from '../../server/src/testing/inventory-world/server-reference.ts'
import { localSettings } from './clients.ts'
import { joinCluster, startIncus, type TestIncus } from './start.ts'

const limit = () => AbortSignal.timeout(60_000)

describe('a real cluster of two Incus members', () => {
  let first: TestIncus
  let second: TestIncus
  let source: Source
  const context: SourceContext = { ...conformanceContext, accountId: 'cluster' }
  const open = (with_ = context) => incusKind.open(localSettings(first), with_, limit())
  before(async () => {
    first = await startIncus()
    await first.run('cluster', 'enable', 'one')
    second = await joinCluster(first, 'two')
    await first.launch('on-one', '--target', 'one')
    await first.launch('on-two', '--target', 'two')
    source = await open()
  })
  after(async () => {
    await source.close()
    await second.stop()
    await first.stop()
  })

  const scan = async () =>
    [...(await scanAll(source)).values()].sort((one, other) =>
      one.facts.name < other.facts.name ? -1 : 1,
    )

  test('reports the members as hosts', async () => {
    const { hosts } = await scanResources(source, limit())
    assert.deepEqual(
      [...hosts.values()].map(({ name, status, access_ip }) => [name, status, access_ip]),
      [
        ['one', 'running', '127.0.0.1'],
        ['two', 'running', '127.0.0.1'],
      ],
    )
    assert.deepEqual(
      (await scan()).map(({ facts }) => [
        facts.name,
        facts.host,
        hosts.get(facts.host_id ?? '')?.name,
      ]),
      [
        ['on-one', 'one', 'one'],
        ['on-two', 'two', 'two'],
      ],
    )
  })

  test('reports events of the other member, and a server that moves to it', async () => {
    const end = new AbortController()
    const updates: SourceUpdate[] = []
    const watch = source.watch?.(end.signal)[Symbol.asyncIterator]()
    assert.ok(watch)
    await watch.next()
    const watching = (async () => {
      for (let next = await watch.next(); !next.done; next = await watch.next()) {
        updates.push(next.value)
      }
    })()
    const lastOf = (name: string) =>
      updates.flatMap(({ present }) => present).findLast(({ facts }) => facts.name === name)
    const before = await scan()
    await second.run('stop', '--force', 'on-two')
    await eventually('the stop', () => lastOf('on-two')?.facts.status === 'ready' || undefined)
    await first.run('move', 'on-two', '--target', 'one')
    await eventually('the move', () => lastOf('on-two')?.facts.host === 'one' || undefined)
    await first.run('move', 'on-two', '--target', 'two')
    await eventually('the way back', () => lastOf('on-two')?.facts.host === 'two' || undefined)
    end.abort()
    await watching
    assert.deepEqual(
      (await scan()).map(({ key }) => key),
      before.map(({ key }) => key),
    )
    assert.deepEqual(
      updates.flatMap(({ gone }) => gone),
      [],
    )
  })

  test('loses no server while a member is offline', async () => {
    const before = await scan()
    const isolated = before.find(({ facts }) => facts.host === 'two')
    assert.ok(isolated)
    await second.kill()
    const found: SourceUpdate[] = await Array.fromAsync(source.scan(limit()))
    assert.deepEqual(
      found.flatMap(({ unreadable = [] }) => unreadable.map(({ key }) => key)),
      [isolated.key],
    )
    assert.equal(found.flatMap(({ present }) => present).length, 1)
    // Until the cluster notices that the member is offline, it lets the request wait.
    const isHonest = (error: unknown) =>
      error instanceof SourceError && /^(?:timeout|incomplete|failed)$/.test(error.kind)
    const one = await source.get(referenceOf(isolated), limit()).catch((error: unknown) => error)
    assert.ok(isHonest(one) || (one instanceof Object && 'reason' in one), String(one))
    // A connection that has never seen the server cannot tell whose UUID is missing.
    const other = await open({ ...context, accountId: 'another' })
    await assert.rejects(scanAll(other), isHonest)
    await other.close()
    await second.restart()
    await eventually('the return of the member', async () => {
      const servers = await scan().catch(() => [])
      return servers.length === before.length || undefined
    })
  })
})
