import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { createAddressRule } from '../../egress/allowed-addresses.ts'
import { createEgress } from '../../egress/egress.ts'
import { suiteLifetime } from '../spawn-muster.ts'
import {
  faultContext,
  requireFailedScan,
  requireNoLossInNewSource,
  requireNotGone,
  requireSameServers,
  requireSourceError,
  type Servers,
} from './check-fault.ts'
import { startFaultProxy, type FaultProxy, type HttpFault } from './fault-proxy.ts'
import { reportGap } from './report-gap.ts'
import { scanAll, testTimeout, withSource } from './scan-source.ts'
import type { HttpFaultPlug } from './source-back-end.ts'

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
export function testHttpFaults(kind: SourceKind, plugged: () => HttpFaultPlug): void {
  void describe('faults of HTTP', () => {
    const lifetime = suiteLifetime()
    let plug: HttpFaultPlug
    let existing: Servers
    /** One proxy has faults in the list of servers, the other one in all responses. */
    let listProxy: FaultProxy
    let otherProxy: FaultProxy
    let source: Source
    let other: Source
    const settingsOf = (proxy: FaultProxy) => plug.settingsAt(proxy.url)
    before(async () => {
      plug = plugged()
      listProxy = await startFaultProxy(lifetime, plug)
      otherProxy = await startFaultProxy(lifetime, plug)
      source = await kind.open(settingsOf(listProxy), faultContext, testTimeout())
      other = await kind.open(settingsOf(otherProxy), faultContext, testTimeout())
      existing = await scanAll(source)
    })
    after(() => Promise.all([source.close(), other.close()]))

    async function requireFailure(fault: HttpFault, kinds: RegExp): Promise<void> {
      // A changed body is for responses with a list only.
      const isForAll = typeof fault === 'string' || 'status' in fault
      const inList = { kind, settings: settingsOf(listProxy) }
      const inAll = { kind, settings: settingsOf(otherProxy) }
      listProxy.inject(fault, (request) => plug.listsServers(request))
      otherProxy.inject(fault, (request) => isForAll || plug.listsServers(request))
      try {
        await Promise.all([
          requireFailedScan(source, inList, existing, kinds),
          requireNotGone(other, inAll, existing),
          requireNoLossInNewSource(inAll, existing),
        ])
      } finally {
        listProxy.clear()
        otherProxy.clear()
      }
      await requireSameServers(source, existing)
    }

    async function requireRetry(fault: HttpFault): Promise<void> {
      listProxy.inject(fault, (request) => plug.listsServers(request), 1)
      await requireSameServers(source, existing)
      listProxy.clear()
    }

    for (const [title, fault, kinds] of commonFaults) {
      void test(`throws on ${title}`, () => requireFailure(fault, kinds))
    }

    void test('throws on a response without the list', () =>
      requireFailure(
        { change: (body) => plug.withoutList(body) },
        /^(invalid-response|incomplete)$/,
      ))

    void test('throws on a total that is larger than the list', async (context) => {
      const { withWrongTotal } = plug
      if (typeof withWrongTotal === 'string') return reportGap(context, withWrongTotal)
      await requireFailure({ change: withWrongTotal }, /^(invalid-response|incomplete)$/)
    })

    void test('throws on rejected credentials', () =>
      requireFailure(plug.errors.credentials, /^credentials$/))

    void test('throws on a session that expires again and again', () =>
      requireFailure(plug.errors.expired, /^credentials$/))

    void test('logs in again when its session expires', async (context) => {
      if (plug.renewsSession !== true) return reportGap(context, plug.renewsSession)
      await requireRetry(plug.errors.expired)
    })

    void test('throws on missing permissions', () =>
      requireFailure(plug.errors.forbidden, /^forbidden$/))

    void test('throws if it is throttled for long', () =>
      requireFailure(plug.errors.throttled, /^throttled$/))

    void test('retries after throttling and after a server error', async () => {
      await requireRetry(plug.errors.throttled)
      await requireRetry({ status: 503 })
    })

    void test('replaces connections that are closed while idle or just as they are reused', async () => {
      listProxy.connection.cut()
      listProxy.connection.restore()
      await requireSameServers(source, existing)
      listProxy.inject('close', () => true, 1)
      await requireSameServers(source, existing)
    })

    void test('stops at once when it is aborted', async () => {
      const stop = new AbortController()
      listProxy.inject('hang', (request) => plug.listsServers(request))
      listProxy.onRequest = (request) => plug.listsServers(request) && stop.abort()
      const settings = settingsOf(listProxy)
      await withSource(kind, settings, async (opened) => {
        const error = await Array.fromAsync(opened.scan(stop.signal)).catch((thrown) => thrown)
        requireSourceError(error, { kind, settings }, /^timeout$/)
      })
      listProxy.onRequest = undefined
      listProxy.clear()
    })

    void test('sends no request to an address that is not allowed', async () => {
      const context = { ...faultContext, egress: createEgress(createAddressRule([])) }
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
      const context = { ...faultContext, throttle }
      await withSource(kind, settingsOf(otherProxy), scanAll, context)
      const requests = otherProxy.requests.length - before
      assert.ok(requests > 0)
      assert.ok(calls >= requests, `${requests} requests, but the limit was awaited ${calls} times`)
    })

    void test('does not follow redirects', async () => {
      let requests = 0
      const other = createServer((_request, response) => {
        requests += 1
        response.end()
      }).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const location = `http://127.0.0.1:${port}/`
      for (const status of [301, 307]) {
        await requireFailure({ status, headers: { location } }, /^(invalid-response|failed)$/)
      }
      other.close()
      assert.equal(requests, 0)
    })
  })
}
