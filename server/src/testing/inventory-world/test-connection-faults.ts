import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { suiteLifetime } from '../spawn-muster.ts'
import type { TcpProxy } from '../tcp-proxy.ts'
import {
  hangContext,
  requireNoLossInNewSource,
  requireNotGone,
  requireSameServers,
  requireSourceError,
  scanWithoutLoss,
} from './check-fault.ts'
import { conformanceContext, scanAll, testTimeout, withSource } from './scan-source.ts'
import type { FaultSetup } from './source-back-end.ts'
import { startProxied, type ProxiedSource } from './start-proxied.ts'
import { test } from './timed-test.ts'

/** Faults that need no knowledge of the protocol. */
export function testConnectionFaults(kind: SourceKind, faults: FaultSetup): void {
  void describe('faults of the connection', () => {
    const lifetime = suiteLifetime()
    let proxied: ProxiedSource
    before(async () => {
      proxied = await startProxied(lifetime, faults)
    })
    const scanNew = <Result>(use: (source: Source) => Promise<Result>) =>
      withSource(kind, proxied.settings, use)

    /** Breaks the connection of an open source, and what is opened then. */
    const testBroken = (
      title: string,
      breakIt: (proxy: TcpProxy) => void,
      kinds: RegExp,
      context = conformanceContext,
    ) =>
      test(title, async (testContext) => {
        const { settings, connection } = proxied
        const tested = { kind, settings }
        const source = await kind.open(settings, context, testTimeout())
        testContext.after(() => source.close())
        const existing = await scanAll(source)
        breakIt(connection)
        try {
          const [error] = await Promise.all([
            scanWithoutLoss(source, existing),
            requireNotGone(source, tested, existing),
            requireNoLossInNewSource(tested, existing, context),
          ])
          assert.ok(error !== undefined, 'the scan ends normally in spite of the fault')
          requireSourceError(error, tested, kinds)
        } finally {
          connection.restore()
        }
        await scanNew((opened) => requireSameServers(opened, existing))
      })

    void testBroken(
      'throws if every connection is closed',
      (proxy) => proxy.cut(),
      /unreachable|incomplete|tls/,
    )
    void testBroken('throws if nothing answers', (proxy) => proxy.silence(), /timeout/, hangContext)
    void testBroken(
      'throws if something else answers at the address',
      (proxy) => proxy.sendGarbage(),
      /invalid-response|tls|unreachable|incomplete/,
    )

    /** Scans new sources while the proxy fails after each part of the bytes that this takes. */
    async function requireNoLossAfter(
      parts: readonly number[],
      next: 'cut' | 'silent',
    ): Promise<void> {
      const { settings, connection } = proxied
      const before = connection.received()
      const existing = await scanNew(scanAll)
      const bytes = connection.received() - before
      for (const part of parts) {
        connection.failAfter(Math.floor(bytes * part), next)
        try {
          const context = next === 'silent' ? hangContext : conformanceContext
          await requireNoLossInNewSource({ kind, settings }, existing, context)
        } finally {
          connection.restore()
        }
      }
      await scanNew((source) => requireSameServers(source, existing))
    }

    void test('loses no server if the connection is cut at any point', () =>
      requireNoLossAfter([0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 0.99], 'cut'))

    void test('closes its connections', async (context) => {
      const { settings, connection } = await startProxied(context, faults)
      await withSource(kind, settings, scanAll)
      const isClosed = () => connection.open() === 0 || undefined
      await eventually('that all connections are closed', isClosed)
    })

    void test('loses no server if the connection hangs', () => requireNoLossAfter([0.7], 'silent'))
  })
}
