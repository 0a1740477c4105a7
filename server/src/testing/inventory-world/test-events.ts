import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import { describe, type TestContext } from 'node:test'
import { derivedId } from '../../domain/sources/derived-id.ts'
import type { SourceKind, SourceSettings, SourceUpdate } from '../../domain/sources/source.ts'
import type { TcpProxy } from '../tcp-proxy.ts'
import { hangContext, requireSourceError } from './check-fault.ts'
import { createForTest } from './create-for-test.ts'
import { conformanceContext, scanAll, testTimeout } from './scan-source.ts'
import type { FaultSetup, SourceBackEnd } from './source-back-end.ts'
import { startProxied } from './start-proxied.ts'
import { test } from './timed-test.ts'

/** Opens a source and collects what its `watch` reports, until the test ends. */
async function startWatch(
  context: TestContext,
  kind: SourceKind,
  settings: SourceSettings,
  sourceContext = conformanceContext,
) {
  const source = await kind.open(settings, sourceContext, testTimeout())
  const end = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  context.after(async () => {
    end.abort()
    await ended
    await source.close()
  })
  const existing = await scanAll(source)
  const updates: SourceUpdate[] = []
  let error: unknown
  assert.ok(source.watch)
  const iterator = source.watch(end.signal)[Symbol.asyncIterator]()
  await iterator.next()
  ended = (async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      updates.push(next.value)
    }
  })().catch((thrown: unknown) => (error = thrown))
  const gone = () => updates.flatMap((update) => update.gone)
  return {
    error: () => error,
    /** The last report of a server. */
    lastOf: (id: string) =>
      updates.flatMap(({ present }) => present).findLast(({ facts }) => facts.external_id === id),
    isGone: (key: readonly string[]) => gone().some((one) => one.join() === key.join()),
    /** Names of servers that existed at the start and are reported as gone. */
    lost: () =>
      gone().flatMap((key) => existing.get(derivedId('server', ...key))?.facts.name ?? []),
  }
}

/** Events, and faults of the connection that carries them. */
export function testEvents(
  kind: SourceKind,
  backEnd: () => SourceBackEnd,
  faults: FaultSetup,
): void {
  void describe('events', () => {
    void test('reports a server that is created, stopped and removed', async (context) => {
      const { settings, stop, remove } = backEnd()
      const watch = await startWatch(context, kind, settings)
      const id = await createForTest(context, backEnd(), `watched-${Date.now()}`)
      const created = await eventually('the event of the creation', () => watch.lastOf(id))
      await stop(id)
      await eventually(
        'the event of the stop',
        () => watch.lastOf(id)?.facts.status === 'ready' || undefined,
      )
      await remove(id)
      await eventually('the event of the removal', () => watch.isGone(created.key) || undefined)
    })

    /** The watch must throw, or connect again and report what happens after the fault. */
    const testFault = (title: string, breakIt: (proxy: TcpProxy) => void) =>
      test(title, async (context) => {
        const { settings, connection } = await startProxied(context, faults)
        const watch = await startWatch(context, kind, settings, hangContext)
        const connections = connection.connections()
        breakIt(connection)
        await eventually(
          'that the watch notices the fault',
          () => watch.error() !== undefined || connection.connections() > connections || undefined,
        )
        connection.restore()
        const id = await createForTest(context, backEnd(), `after-fault-${Date.now()}`)
        await eventually(
          'that the watch throws or recovers',
          () => watch.error() !== undefined || watch.lastOf(id) !== undefined || undefined,
        )
        if (watch.error() !== undefined) requireSourceError(watch.error(), { kind, settings })
        assert.deepEqual(watch.lost(), [], 'existing servers are reported as gone')
      })

    void testFault('loses no server if the connection is cut', (proxy) => proxy.cut())
    void testFault('loses no server if the connection hangs', (proxy) => proxy.silence())
  })
}
