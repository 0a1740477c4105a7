import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, describe, type TestContext } from 'node:test'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { suiteLifetime } from '../spawn-muster.ts'
import {
  requireFailedScan,
  requireSourceError,
  scanWithoutLoss,
  type Servers,
} from './check-fault.ts'
import {
  startFaultProxy,
  type FaultProxy,
  type HttpFault,
  type ProxiedRequest,
} from './fault-proxy.ts'
import { reportGap } from './report-gap.ts'
import { conformanceContext, idOf, scanAll, testTimeout, withSource } from './scan-source.ts'
import type { HttpFaultSetup, PagingSetup, SourceBackEnd } from './source-back-end.ts'
import { test } from './timed-test.ts'

/** Faults of a page after the first one, and servers that change between two pages. */
export function testPaging(kind: SourceKind, faults: () => HttpFaultSetup): void {
  void describe('pages', () => {
    const lifetime = suiteLifetime()
    let setup: HttpFaultSetup
    let paging: PagingSetup | undefined
    let reason = ''
    let proxy: FaultProxy
    let source: Source
    let existing: Servers
    before(async () => {
      setup = faults()
      if (typeof setup.paging === 'string') {
        reason = setup.paging
        return
      }
      paging = setup.paging
      await paging.prepare()
      proxy = await startFaultProxy(lifetime, setup)
      source = await kind.open(paging.settingsAt(proxy.url), conformanceContext, testTimeout())
      existing = await scanAll(source)
    })
    after(() => source?.close())

    const testPages = (
      title: string,
      run: (paging: PagingSetup, context: TestContext) => Promise<void>,
    ) => test(title, (context) => (paging ? run(paging, context) : reportGap(context, reason)))
    const isLater = (request: ProxiedRequest) =>
      setup.listsServers(request) && paging?.isLaterPage(request) === true

    async function requireFailure(
      fault: HttpFault,
      kinds: RegExp,
      matches = isLater,
    ): Promise<void> {
      const settings = paging?.settingsAt(proxy.url)
      assert.ok(settings)
      proxy.inject(fault, matches)
      try {
        await requireFailedScan(source, { kind, settings }, existing, kinds)
      } finally {
        proxy.clear()
      }
    }

    void testPages('reads more than one page', async () => {
      assert.ok(proxy.requests.some(isLater), 'the back end has only one page of servers')
    })

    void testPages('throws if a later page fails', async () => {
      await requireFailure({ status: 500 }, /^failed$/)
      await requireFailure('close in body', /^(unreachable|incomplete)$/)
      await requireFailure(
        { change: (body) => setup.withoutList(body) },
        /^(invalid-response|incomplete)$/,
      )
    })

    void testPages('throws if the pages repeat', async () => {
      let first: string | undefined
      await requireFailure(
        { change: (body) => (first ??= body) },
        /^(invalid-response|incomplete)$/,
        (request) => setup.listsServers(request),
      )
    })

    void testPages(
      'loses no server when others come and go between pages',
      async (part, context) => {
        context.after(() => (proxy.onRequest = undefined))
        const [first] = existing.values()
        assert.ok(first)
        let changed = false
        proxy.onRequest = async (request) => {
          if (changed || !isLater(request)) return
          changed = true
          await part.remove(first.facts.external_id ?? '')
          await part.create(`between pages ${Date.now()}`)
        }
        const others = new Map(existing)
        others.delete(idOf(first))
        const error = await scanWithoutLoss(source, others)
        assert.ok(changed)
        const settings = part.settingsAt(proxy.url)
        if (error !== undefined) requireSourceError(error, { kind, settings })
        const next = await scanAll(source)
        assert.equal(next.size, existing.size)
        assert.ok(!next.has(idOf(first)))
      },
    )
  })
}

const goal = 10_000

/** A back end with very many servers. Reports how fast the scan is and how much memory it takes. */
export function testMany(kind: SourceKind, backEnd: () => SourceBackEnd): void {
  const run = async (context: TestContext) => {
    const { createMany } = backEnd()
    if (typeof createMany === 'string') return reportGap(context, createMany)
    const { settings, count } = await createMany(goal)
    const delay = monitorEventLoopDelay({ resolution: 10 })
    const memory = process.memoryUsage.rss()
    delay.enable()
    const start = performance.now()
    const servers = await withSource(kind, settings, scanAll)
    const seconds = (performance.now() - start) / 1_000
    delay.disable()
    const grown = Math.round((process.memoryUsage.rss() - memory) / 2 ** 20)
    context.diagnostic(
      `${kind.title}: ${servers.size} servers in ${seconds.toFixed(1)} s ` +
        `(${Math.round(servers.size / seconds)} per second), ${grown} MiB more memory, ` +
        `event loop blocked for at most ${Math.round(delay.max / 1e6)} ms`,
    )
    assert.equal(servers.size, count)
    if (count < goal) reportGap(context, `The back end has only ${count} servers.`)
  }
  // Creating so many takes minutes in some back ends.
  void test(`scans ${goal.toLocaleString('en')} servers`, run, 280_000)
}
