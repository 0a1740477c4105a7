import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { startSecureServer } from '../../server/src/testing/secure-server.ts'
import { createHttpUpstream } from './http-upstream.ts'
import type { UpstreamRequest } from './ports.ts'

async function listen(context: TestContext, serve: RequestListener): Promise<string> {
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function open(context: TestContext, addresses: Parameters<typeof createHttpUpstream>[0]) {
  const upstream = createHttpUpstream(addresses)
  context.after(() => upstream.close())
  return upstream.ask
}

const request: UpstreamRequest = {
  servedBy: ['identity'],
  method: 'POST',
  path: '/servers?limit=1',
  headers: { 'x-auth-token': 'token' },
  body: Buffer.from('{"a":"ü"}'),
  ip: '192.0.2.1',
  protocol: 'https',
  host: 'muster.example',
  signal: new AbortController().signal,
}

describe('the API in another process', () => {
  test('is asked at the address of the role that serves the operation', async (t) => {
    const echo =
      (name: string): RequestListener =>
      async (incoming, response) => {
        const { method, url, headers } = incoming
        const seen = { name, method, url, headers, body: await text(incoming) }
        response.writeHead(202).end(JSON.stringify(seen))
      }
    const authUrl = await listen(t, echo('identity'))
    const baseUrl = await listen(t, echo('platform'))
    const ask = open(t, { authUrl, baseUrl: `${baseUrl}/muster/` })
    const expected = [
      [['identity'], 'identity', authUrl, '/servers?limit=1'],
      [['platform'], 'platform', baseUrl, '/muster/servers?limit=1'],
      [['identity', 'platform'], 'platform', baseUrl, '/muster/servers?limit=1'],
    ] as const
    for (const [servedBy, name, address, url] of expected) {
      const { status, body } = await ask({ ...request, servedBy })
      assert.equal(status, 202)
      const { headers, ...seen } = (await json(body)) as { headers: IncomingHttpHeaders }
      assert.deepEqual(seen, { name, method: 'POST', url, body: '{"a":"ü"}' })
      assert.deepEqual(headers, {
        'x-auth-token': 'token',
        host: new URL(address).host,
        'x-forwarded-for': '192.0.2.1',
        'x-forwarded-proto': 'https',
        'content-length': '10',
        connection: 'keep-alive',
      })
    }
  })

  test('must have a trusted certificate', async (t) => {
    const { url, requests } = await startSecureServer(t, (_, response) => response.end())
    await assert.rejects(open(t, { authUrl: url, baseUrl: url })(request), /certificate/)
    assert.equal(requests.length, 0)
  })

  test('that sends nothing is an error', async (t) => {
    const url = await listen(t, () => {})
    await assert.rejects(
      open(t, { authUrl: url, baseUrl: url, timeout: 50 })(request),
      /no data from 127\.0\.0\.1:\d+ for 50 ms/,
    )
  })
})
