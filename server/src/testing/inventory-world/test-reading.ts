import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  ReportedServer,
  Source,
  SourceKind,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { requireSourceError } from './check-fault.ts'
import { reportGap } from './report-gap.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { requireNamedResources, scanResources } from './resource-conformance.ts'
import {
  conformanceContext,
  idOf,
  requireServer,
  scanAll,
  getReadable,
  testTimeout,
  withSource,
} from './scan-source.ts'
import { referenceOf } from './server-reference.ts'
import type { SourceBackEnd } from './source-back-end.ts'
import { test } from './timed-test.ts'

/** Tests of what a source reports. They need no way to change the back end. */
export function testReading(
  kind: SourceKind,
  backEnd: () => Pick<SourceBackEnd, 'settings' | 'breakOne'>,
): void {
  const useSource = <Result>(use: (source: Source) => Promise<Result>) =>
    withSource(kind, backEnd().settings, use)

  void test('accepts its own settings', () => {
    assert.deepEqual(kind.check(backEnd().settings), [])
  })

  void test('has a title without a secret', () =>
    useSource(async ({ title }) => {
      assert.notEqual(title, '')
      requireNoSecret(title, backEnd().settings)
    }))

  void test('reports each server once, as the contract requires', async () => {
    for (const server of (await useSource(scanAll)).values()) requireServer(server, kind.provider)
  })

  void test('reports the same facts while nothing changes', async () => {
    const first = await useSource(scanAll)
    await pause(1_500)
    const second = await useSource(scanAll)
    assert.ok(first.size > 0)
    assert.deepEqual([...second.keys()].sort(), [...first.keys()].sort())
    for (const [id, server] of second) assert.deepEqual(server, first.get(id))
  })

  void test('reports every host, network, region and zone that a server names', () =>
    useSource(async (source) => {
      const resources = await scanResources(source, testTimeout())
      requireNamedResources((await scanAll(source)).values(), resources)
      assert.deepEqual(await scanResources(source, testTimeout()), resources)
    }))

  void test('gets each server with the facts of the scan', () =>
    useSource(async (source) => {
      for (const server of (await scanAll(source)).values()) {
        assert.deepEqual(await getReadable(source, referenceOf(server)), server)
      }
    }))

  void test('gets nothing for a server that does not exist', () =>
    useSource(async (source) => {
      const servers = [...(await scanAll(source)).values()]
      const [some] = servers
      assert.ok(some)
      const reference = referenceOf(some)
      // Digits only, so that the id keeps its form: `qemu/100`, `i-0ab1`.
      const externalId = reference.externalId.replaceAll(/\d/g, '9')
      assert.ok(servers.every(({ facts }) => facts.external_id !== externalId))
      assert.equal(await source.get({ ...reference, externalId }, testTimeout()), undefined)
    }))

  void test('reports an unreadable server, and all others in full', async (context) => {
    const { breakOne } = backEnd()
    if (typeof breakOne === 'string') return reportGap(context, breakOne)
    const before = await useSource(scanAll)
    const { settings = backEnd().settings, repair } = await breakOne()
    context.after(repair)
    await withSource(kind, settings, async (source) => {
      const present = new Map<string, ReportedServer>()
      const unreadable: UnreadableServer[] = []
      for await (const page of source.scan(testTimeout())) {
        for (const server of page.present) present.set(idOf(server), server)
        unreadable.push(...(page.unreadable ?? []))
      }
      const [broken, ...more] = unreadable
      assert.ok(broken && more.length === 0, 'one server is unreadable, and is reported once')
      assert.notEqual(broken.reason, '')
      requireNoSecret(broken.reason, settings)
      const known = before.get(idOf(broken))
      assert.ok(known, 'its key differs from the key that it had when it was readable')
      assert.equal(broken.name, known.facts.name)
      before.delete(idOf(broken))
      assert.deepEqual([...present.keys()].sort(), [...before.keys()].sort())
      assert.deepEqual(await source.get(referenceOf(known), testTimeout()), broken)
    })
  })

  void test('throws if it is aborted before the scan', () =>
    useSource(async (source) => {
      const error = await Array.fromAsync(source.scan(AbortSignal.abort())).catch(
        (thrown) => thrown,
      )
      requireSourceError(error, { kind, settings: backEnd().settings }, /^timeout$/)
    }))

  void test('throws if it is aborted during a request of the scan', async (context) => {
    const stop = new AbortController()
    let isOpen = false
    const throttle = async () => void (isOpen && stop.abort())
    const scan = async (source: Source) => {
      isOpen = true
      const error = await Array.fromAsync(source.scan(stop.signal)).catch((thrown) => thrown)
      if (!stop.signal.aborted) return reportGap(context, 'The source sends no requests.')
      requireSourceError(error, { kind, settings: backEnd().settings }, /^timeout$/)
    }
    await withSource(kind, backEnd().settings, scan, { ...conformanceContext, throttle })
  })
}
