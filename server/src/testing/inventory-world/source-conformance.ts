import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  ReportedServer,
  Source,
  SourceKind,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { requireSourceError } from './check-fault.ts'
import { reportGap } from './report-gap.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { requireNamedResources, scanResources } from './resource-conformance.ts'
import {
  conformanceContext,
  idOf,
  requireServer,
  scanAll,
  testTimeout,
  waitFor,
  withSource,
} from './scan-source.ts'
import { referenceOf } from './server-reference.ts'
import type { FaultPlug, SourceBackEnd } from './source-back-end.ts'
import { testCertificates } from './test-certificates.ts'
import { testConnectionFaults } from './test-connection-faults.ts'
import { testEvents } from './test-events.ts'
import { testHttpFaults } from './test-http-faults.ts'
import { testOtherRequests } from './test-other-requests.ts'
import { testMany, testPaging } from './test-paging.ts'
import { test } from './timed-test.ts'

export {
  conformanceContext,
  getReadable,
  requireServer,
  scanAll,
  withSource,
} from './scan-source.ts'
export type { FaultPlug, HttpFaultPlug, SourceBackEnd } from './source-back-end.ts'

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
        assert.deepEqual(await source.get(referenceOf(server), testTimeout()), server)
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

  void test('throws if it is aborted', () =>
    useSource(async (source) => {
      await assert.rejects(Array.fromAsync(source.scan(AbortSignal.abort())))
    }))

  void test('throws if it is aborted during a request of the scan', async (context) => {
    const stop = new AbortController()
    let isOpen = false
    const throttle = async () => void (isOpen && stop.abort())
    const scan = async (source: Source) => {
      isOpen = true
      const error = await Array.fromAsync(source.scan(stop.signal)).catch((cause: unknown) => cause)
      if (!stop.signal.aborted) return reportGap(context, 'The source sends no requests.')
      assert.ok(error instanceof SourceError, 'the scan goes on')
    }
    await withSource(kind, backEnd().settings, scan, { ...conformanceContext, throttle })
  })
}

/** Names that a source must report unchanged, if the back end accepts them. */
const oddNames = [
  'Jörg <b> & "x" 服务器 🖥️ e\u0301 עברית',
  "it's `quoted` \\ %41 &amp; ${x} {{x}}",
  'x'.repeat(255),
  ' blanks ',
  // For back ends that accept names of hosts only.
  `UPPER-and-lower-${'9'.repeat(45)}-z`,
]

/**
 * All tests that a source has to pass, against a back end that Muster did not write. What only one kind
 * has, such as its fields, is tested beside it.
 */
export function describeConformance(
  kind: SourceKind,
  backEnd: () => SourceBackEnd,
  faults: FaultPlug,
): void {
  const scan = () => withSource(kind, backEnd().settings, scanAll)
  const find = async (externalId: string) =>
    [...(await scan()).values()].find(({ facts }) => facts.external_id === externalId)
  async function requireFound(externalId: string): Promise<ReportedServer> {
    const server = await find(externalId)
    assert.ok(server, `${externalId} is not reported`)
    return server
  }
  const waitForStatus = (id: string, status: string) =>
    waitFor(async () => {
      const server = await requireFound(id)
      return server.facts.status === status ? server : undefined
    }, `the status ${status}`)

  void describe(`conformance: ${kind.title}`, () => {
    testReading(kind, backEnd)

    void test('reports a new server', async () => {
      const name = `conformance-${Date.now()}`
      const id = await backEnd().create(name)
      const server = requireServer(await requireFound(id), kind.provider)
      assert.equal(server.name, name)
      assert.ok(server.vcpu_count > 0 && server.vmem_size > 0)
      assert.notEqual(server.hypervisor, '')
      await backEnd().remove(id)
    })

    void test('keeps the key of a server that stops, starts and is removed', async () => {
      const { create, stop, start, remove, settings } = backEnd()
      const id = await create(`life-${Date.now()}`)
      const running = await waitForStatus(id, 'running')
      await stop(id)
      const stopped = await waitForStatus(id, 'ready')
      assert.deepEqual(stopped.key, running.key)
      await start(id)
      await waitForStatus(id, 'running')
      await remove(id)
      await waitFor(async () => ((await find(id)) ? undefined : true), 'the removal')
      const get = (source: Source) => source.get(referenceOf(running), testTimeout())
      assert.equal(await withSource(kind, settings, get), undefined)
    })

    void test('keeps two servers with one name apart', async (context) => {
      const { create, remove } = backEnd()
      const name = `twin-${Date.now()}`
      const first = await create(name)
      try {
        const second = await create(name).catch((error: unknown) => {
          reportGap(context, `The back end refuses it: ${String(error).trim().split('\n').at(-1)}`)
        })
        if (second === undefined) return
        assert.notDeepEqual((await requireFound(first)).key, (await requireFound(second)).key)
        await remove(second)
      } finally {
        await remove(first)
      }
    })

    void test('keeps the key of a server that is renamed', async (context) => {
      const { create, stop, rename, remove } = backEnd()
      if (!rename) return reportGap(context, 'The tests cannot rename a server.')
      const id = await create(`before-${Date.now()}`)
      await stop(id)
      const before = await waitForStatus(id, 'ready')
      const name = `after-${Date.now()}`
      await rename(id, name)
      const after = await waitFor(async () => {
        const server = await requireFound(id)
        return server.facts.name === name ? server : undefined
      }, 'the new name')
      assert.deepEqual(after.key, before.key)
      await remove(id)
    })

    void test('reports unusual names unchanged', async (context) => {
      const created = new Map<string, string>()
      const refused: string[] = []
      for (const name of oddNames) {
        try {
          created.set(await backEnd().create(name), name)
        } catch (error) {
          const [reason = ''] = String(error).trim().split('\n').slice(-1)
          refused.push(`${name.slice(0, 20)}… (${reason.replaceAll(name, '…')})`)
        }
      }
      assert.ok(created.size > 0, `the back end refuses every name: ${refused.join(', ')}`)
      const servers = [...(await scan()).values()]
      for (const [id, name] of created) {
        const server = servers.find(({ facts }) => facts.external_id === id)
        assert.equal(server?.facts.name, name)
        await backEnd().remove(id)
      }
      if (refused.length > 0) reportGap(context, `The back end refuses: ${refused.join('; ')}`)
    })

    void test('reports unusual servers as the contract requires', async (context) => {
      const { createOdd, remove, settings } = backEnd()
      if (typeof createOdd === 'string') return reportGap(context, createOdd)
      const ids = await createOdd()
      await withSource(kind, settings, async (source) => {
        const servers = [...(await scanAll(source)).values()]
        for (const id of ids) {
          const server = servers.find(({ facts }) => facts.external_id === id)
          assert.ok(server, `${id} is not reported`)
          requireServer(server, kind.provider)
          assert.deepEqual(await source.get(referenceOf(server), testTimeout()), server)
          await remove(id)
        }
      })
    })

    void test('explains that nothing listens at the address', async () => {
      const { unreachableSettings: settings } = backEnd()
      await assert.rejects(withSource(kind, settings, scanAll), (error) => {
        requireSourceError(error, { kind, settings }, /^(unreachable|timeout)$/)
        return true
      })
    })

    void test('explains that the credentials are rejected, without a secret', async (context) => {
      const { wrongSettings: settings } = backEnd()
      if (typeof settings === 'string') return reportGap(context, settings)
      await assert.rejects(withSource(kind, settings, scanAll), (error) => {
        requireSourceError(error, { kind, settings }, /^(credentials|tls)$/)
        return true
      })
    })

    if (kind.hasEvents) testEvents(kind, backEnd, faults)
    testConnectionFaults(kind, faults)
    if ('http' in faults) {
      testHttpFaults(kind, faults.http)
      testOtherRequests(kind, faults.http)
      testCertificates(kind, faults.http)
      testPaging(kind, faults.http)
    }
    testMany(kind, backEnd)
  })
}
