import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { createAddressRule } from '../../egress/allowed-addresses.ts'
import { createEgress } from '../../egress/egress.ts'
import { suiteLifetime } from '../spawn-muster.ts'
import {
  hangContext,
  requireFailedScan,
  requireNoLossInNewSource,
  requireNotGone,
  requireSameServers,
  requireSourceError,
  type Servers,
} from './check-fault.ts'
import { startFaultProxy, type FaultProxy, type HttpFault } from './fault-proxy.ts'
import { reportGap } from './report-gap.ts'
import { conformanceContext, scanAll, testTimeout, withSource } from './scan-source.ts'
import type { HttpFaultSetup } from './source-back-end.ts'
import { test } from './timed-test.ts'

const loginPage = '<!doctype html><html><body>Log in</body></html>'

/** Faults that every HTTP source has to report, and the kinds of errors that they may be. */
const commonFaults: readonly (readonly [title: string, fault: HttpFault, kinds: RegExp])[] = [
  ['status 500', { status: 500, body: loginPage }, /^failed$/],
  ['status 503', { status: 503 }, /^(failed|throttled)$/],
  ['status 404', { status: 404, body: loginPage }, /^(failed|invalid-response)$/],
  ['a connection closed before the response', 'close', /^(unreachable|incomplete)$/],
  ['a connection closed in the response', 'close in body', /^(unreachable|incomplete)$/],
  ['no response', 'hang', /^timeout$/],
  ['a response that stops', 'hang in body', /^timeout$/],
  ['an endless response', 'endless', /^invalid-response$/],
  ['an empty response', { status: 200 }, /^invalid-response$/],
  ['an HTML page', { status: 200, body: loginPage }, /^invalid-response$/],
  ['an empty object', { status: 200, body: '{}' }, /^invalid-response$/],
  ['an empty list', { status: 200, body: '[]' }, /^invalid-response$/],
  ['null', { status: 200, body: 'null' }, /^invalid-response$/],
  ['binary noise', { status: 200, body: '\u0000\u0001\u00ff'.repeat(100) }, /^invalid-response$/],
  [
    'half of the response',
    { change: (body) => body.slice(0, body.length / 2) },
    /^(invalid-response|incomplete)$/,
  ],
]

/** Injects each fault between the source and its back end. */
export function testHttpFaults(kind: SourceKind, faults: () => HttpFaultSetup): void {
  void describe('faults of HTTP', () => {
    const lifetime = suiteLifetime()
    let setup: HttpFaultSetup
    let existing: Servers
    /** One proxy has faults in the list of servers, the other one in all responses. */
    let listProxy: FaultProxy
    let otherProxy: FaultProxy
    let source: Source
    let other: Source
    const settingsOf = (proxy: FaultProxy) => setup.settingsAt(proxy.url)
    const open = (proxy: FaultProxy) =>
      kind.open(settingsOf(proxy), conformanceContext, testTimeout())
    before(async () => {
      setup = faults()
      listProxy = await startFaultProxy(lifetime, setup)
      otherProxy = await startFaultProxy(lifetime, setup)
      source = await open(listProxy)
      other = await open(otherProxy)
      existing = await scanAll(source)
    })
    after(() => Promise.all([source?.close(), other?.close()]))

    async function requireFailure(fault: HttpFault, kinds: RegExp): Promise<void> {
      const hangs = fault === 'hang' || fault === 'hang in body'
      if (!hangs) return requireFailureOf(source, other, fault, kinds)
      const useBoth = (first: Source) =>
        withSource(
          kind,
          settingsOf(otherProxy),
          (second) => requireFailureOf(first, second, fault, kinds, hangContext),
          hangContext,
        )
      await withSource(kind, settingsOf(listProxy), useBoth, hangContext)
    }

    async function requireFailureOf(
      first: Source,
      second: Source,
      fault: HttpFault,
      kinds: RegExp,
      context = conformanceContext,
    ): Promise<void> {
      // A changed body is for responses with a list only.
      const isForAll = typeof fault === 'string' || 'status' in fault
      const inList = { kind, settings: settingsOf(listProxy) }
      const inAll = { kind, settings: settingsOf(otherProxy) }
      listProxy.inject(fault, (request) => setup.listsServers(request))
      otherProxy.inject(fault, (request) => isForAll || setup.listsServers(request))
      try {
        await Promise.all([
          requireFailedScan(first, inList, existing, kinds),
          requireNotGone(second, inAll, existing),
          requireNoLossInNewSource(inAll, existing, context),
        ])
      } finally {
        listProxy.clear()
        otherProxy.clear()
      }
      await requireSameServers(first, existing)
    }

    async function requireRetry(fault: HttpFault): Promise<void> {
      listProxy.inject(fault, (request) => setup.listsServers(request), 1)
      try {
        await requireSameServers(source, existing)
      } finally {
        listProxy.clear()
      }
    }

    for (const [title, fault, kinds] of commonFaults) {
      void test(`throws on ${title}`, () => requireFailure(fault, kinds))
    }

    void test('throws on a response without the list', () =>
      requireFailure(
        { change: (body) => setup.withoutList(body) },
        /^(invalid-response|incomplete)$/,
      ))

    void test('throws on a total that is larger than the list', async (context) => {
      const { withWrongTotal } = setup
      if (typeof withWrongTotal === 'string') return reportGap(context, withWrongTotal)
      await requireFailure({ change: withWrongTotal }, /^(invalid-response|incomplete)$/)
    })

    void test('throws on rejected credentials', () =>
      requireFailure(setup.errors.credentials, /^credentials$/))

    void test('throws on a session that expires again and again', async (context) => {
      const { expired } = setup.errors
      if (typeof expired === 'string') return reportGap(context, expired)
      await requireFailure(expired, /^credentials$/)
    })

    void test('logs in again when its session expires', async (context) => {
      const { renewsSession, errors } = setup
      if (renewsSession !== true) return reportGap(context, renewsSession)
      if (typeof errors.expired === 'string') return reportGap(context, errors.expired)
      await requireRetry(errors.expired)
    })

    void test('throws on missing permissions', () =>
      requireFailure(setup.errors.forbidden, /^forbidden$/))

    void test('throws if it is throttled for long', async (context) => {
      const { throttled } = setup.errors
      if (typeof throttled === 'string') return reportGap(context, throttled)
      await requireFailure(throttled, /^throttled$/)
    })

    void test('retries after throttling and after a server error', async () => {
      const { throttled } = setup.errors
      if (typeof throttled !== 'string') await requireRetry(throttled)
      await requireRetry({ status: 503 })
    })

    void test('replaces connections that are closed while idle or just as they are reused', async () => {
      listProxy.connection.cut()
      listProxy.connection.restore()
      await requireSameServers(source, existing)
      listProxy.inject('close', () => true, 1)
      await requireSameServers(source, existing)
    })

    void test('stops at once when it is aborted', async (context) => {
      const stop = new AbortController()
      const settings = settingsOf(listProxy)
      context.after(() => {
        listProxy.onRequest = undefined
        listProxy.clear()
      })
      const scan = async (opened: Source) => {
        listProxy.inject('hang', (request) => setup.listsServers(request))
        listProxy.onRequest = (request) => setup.listsServers(request) && stop.abort()
        const error = await Array.fromAsync(opened.scan(stop.signal)).catch((thrown) => thrown)
        requireSourceError(error, { kind, settings }, /^timeout$/)
      }
      // Longer than the test may take, so that only the signal can end the scan.
      const patient = { ...conformanceContext, timeLimit: 3_600_000 }
      await withSource(kind, settings, scan, patient)
    })

    void test('sends no request to an address that is not allowed', async () => {
      const context = { ...conformanceContext, egress: createEgress(createAddressRule([])) }
      const settings = settingsOf(otherProxy)
      const before = otherProxy.requests.length
      await assert.rejects(withSource(kind, settings, scanAll, context), (error) => {
        requireSourceError(error, { kind, settings }, /^not-allowed$/)
        return true
      })
      assert.equal(otherProxy.requests.length, before)
    })

    void test('awaits the rate limit before each request', async () => {
      let calls = 0
      const throttle = async () => void (calls += 1)
      const before = otherProxy.requests.length
      const context = { ...conformanceContext, throttle }
      await withSource(kind, settingsOf(otherProxy), scanAll, context)
      const requests = otherProxy.requests.length - before
      assert.ok(requests > 0)
      assert.ok(calls >= requests, `${requests} requests, but the limit was awaited ${calls} times`)
    })

    void test('does not follow redirects', async (context) => {
      let requests = 0
      const elsewhere = createServer((_request, response) => {
        requests += 1
        response.end()
      }).listen(0, '127.0.0.1')
      context.after(() => elsewhere.close())
      await once(elsewhere, 'listening')
      const { port } = elsewhere.address() as AddressInfo
      const location = `http://127.0.0.1:${port}/`
      for (const status of [301, 307]) {
        await requireFailure({ status, headers: { location } }, /^(invalid-response|failed)$/)
      }
      assert.equal(requests, 0)
    })
  })
}
