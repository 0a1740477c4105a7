import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { suiteLifetime } from '../spawn-muster.ts'
import type { TcpProxy } from '../tcp-proxy.ts'
import {
  faultContext,
  requireNoLossInNewSource,
  requireNotGone,
  requireSameServers,
  requireSourceError,
  scanWithoutLoss,
  type Servers,
} from './check-fault.ts'
import { scanAll, testTimeout, withSource } from './scan-source.ts'
import type { FaultPlug } from './source-back-end.ts'
import { startProxied, type ProxiedSource } from './start-proxied.ts'

/** Faults that need no knowledge of the protocol. */
export function testConnectionFaults(kind: SourceKind, faults: FaultPlug): void {
  void describe('faults of the connection', () => {
    const lifetime = suiteLifetime()
    let proxied: ProxiedSource
    before(async () => {
      proxied = await startProxied(lifetime, faults)
    })
    const scanNew = (use: (source: Source) => Promise<unknown>) =>
      withSource(kind, proxied.settings, use, faultContext)

    /** Breaks the connection of an open source, and what is opened then. */
    const testBroken = (title: string, breakIt: (proxy: TcpProxy) => void, kinds: RegExp) =>
      test(title, async () => {
        const { settings, connection } = proxied
        const tested = { kind, settings }
        const source = await kind.open(settings, faultContext, testTimeout())
        const existing = await scanAll(source)
        breakIt(connection)
        try {
          const [error] = await Promise.all([
            scanWithoutLoss(source, existing),
            requireNotGone(source, tested, existing),
            requireNoLossInNewSource(tested, existing),
          ])
          assert.ok(error !== undefined, 'the scan ends normally in spite of the fault')
          requireSourceError(error, tested, kinds)
        } finally {
          connection.restore()
          await source.close()
        }
        await scanNew((opened) => requireSameServers(opened, existing))
      })

    void testBroken(
      'throws if every connection is closed',
      (proxy) => proxy.cut(),
      /unreachable|incomplete|tls/,
    )
    void testBroken('throws if nothing answers', (proxy) => proxy.silence(), /timeout/)
    void testBroken(
      'throws if something else answers at the address',
      (proxy) => proxy.sendGarbage(),
      /invalid-response|tls|unreachable|incomplete/,
    )

    /** Opens and scans while the proxy fails after a part of the bytes that this takes. */
    async function scanUntil(
      part: number,
      next: 'cut' | 'silent',
      existing: Servers,
    ): Promise<void> {
      const { settings, connection } = proxied
      const before = connection.received()
      await scanNew(scanAll)
      connection.failAfter(Math.floor((connection.received() - before) * part), next)
      try {
        await requireNoLossInNewSource({ kind, settings }, existing)
      } finally {
        connection.restore()
      }
    }

    void test('loses no server if the connection is cut at any point', async () => {
      const existing = (await scanNew(scanAll)) as Servers
      for (const part of [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 0.99]) {
        await scanUntil(part, 'cut', existing)
      }
      await scanNew((source) => requireSameServers(source, existing))
    })

    void test('loses no server if the connection hangs at any point', async () => {
      const existing = (await scanNew(scanAll)) as Servers
      for (const part of [0.3, 0.8]) await scanUntil(part, 'silent', existing)
      await scanNew((source) => requireSameServers(source, existing))
    })
  })
}
