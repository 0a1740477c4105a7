import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { PlatformError } from '../../../error.ts'
import {
  startSecureServer,
  testAuthority,
  type SecureServer,
} from '../../../../testing/secure-server.ts'
import { createAddressRule } from '../../../../egress/allowed-addresses.ts'
import { createCasDriver } from './cas-driver.ts'
import { createGuardedRequest } from '../../../../egress/guarded-request.ts'

const cas = createCasDriver({
  send: createGuardedRequest(createAddressRule(['localhost'])),
})
const success = `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">
  <cas:authenticationSuccess>
    <cas:user>ada</cas:user>
    <cas:attributes><cas:group>staff</cas:group></cas:attributes>
  </cas:authenticationSuccess>
</cas:serviceResponse>`

const startYes = (t: TestContext, certificate?: 'issued' | 'expired' | 'elsewhere' | 'authority') =>
  startSecureServer(t, (_, response) => response.end(success), certificate)

const endpointAt = ({ url }: SecureServer, changes: object = {}) => ({
  url: `${url}/cas`,
  service_url: 'https://muster.test/login?from=cas&x=1',
  protocol: 3,
  ca: testAuthority,
  ...changes,
})

/** What the log gets to know; the caller gets the one 401. */
async function reasonFor(work: Promise<unknown>): Promise<string> {
  let failure: unknown
  await work.catch((error: unknown) => (failure = error))
  assert.ok(failure instanceof PlatformError, 'it did not fail as a login does')
  assert.equal(failure.class, 'UnauthorizedError')
  assert.equal(failure.message, 'Login failed: check the credentials and the scope.')
  return String(failure.cause)
}

/** The target of the one request that a server was sent. */
function targetOf({ requests, url }: SecureServer): URL {
  assert.equal(requests.length, 1)
  return new URL(requests[0]?.target ?? '', url)
}

describe('asking a CAS server', () => {
  test('finds whose ticket it is', async (t) => {
    const server = await startYes(t)
    assert.deepEqual(await cas.verify(endpointAt(server), { secret: 'ST-1' }), {
      subject: 'ada',
      attributes: new Map([['group', ['staff']]]),
    })
  })

  test('takes the path of the protocol, behind that of the server', async (t) => {
    const cases = [
      ['/cas', 3, '/cas/p3/serviceValidate'],
      ['/cas', 2, '/cas/serviceValidate'],
      ['/cas///', 2, '/cas/serviceValidate'],
      ['', 3, '/p3/serviceValidate'],
      ['/', 2, '/serviceValidate'],
      ['/a/b/', 3, '/a/b/p3/serviceValidate'],
      ['/cas?service=https://evil&x#y', 2, '/cas/serviceValidate'],
    ] as const
    for (const [path, protocol, expected] of cases) {
      const server = await startYes(t)
      const endpoint = endpointAt(server, { url: server.url + path, protocol })
      await cas.verify(endpoint, { secret: 'ST-1' })
      const { pathname, searchParams } = targetOf(server)
      assert.equal(pathname, expected)
      assert.deepEqual([...searchParams.keys()], ['service', 'ticket'])
    }
  })

  test('SEC-40 names the service of the configuration, and says nothing else', async (t) => {
    const server = await startYes(t)
    const endpoint = endpointAt(server)
    await cas.verify(endpoint, { secret: 'ST-1' })
    assert.deepEqual(
      [...targetOf(server).searchParams],
      [
        ['service', endpoint.service_url],
        ['ticket', 'ST-1'],
      ],
    )
    assert.deepEqual(Object.keys(server.requests[0]?.headers ?? {}).toSorted(), [
      'accept',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test('SEC-41 whatever is in a ticket stays in its one parameter', async (t) => {
    const tickets = [
      'ST-1&service=https://evil',
      'ST-1#fragment',
      'ST-1?x=y',
      'ST-1%26service=https://evil',
      'ST-1 /../x',
      'ST-1+1',
      'ST-1;service=https://evil',
      'ST-1\r\nX-Injected: yes',
      'ST-ä',
    ]
    for (const ticket of tickets) {
      const server = await startYes(t)
      const endpoint = endpointAt(server)
      await cas.verify(endpoint, { secret: ticket })
      const { searchParams } = targetOf(server)
      assert.deepEqual(searchParams.getAll('ticket'), [ticket])
      assert.deepEqual(searchParams.getAll('service'), [endpoint.service_url])
      assert.equal([...searchParams].length, 2)
      assert.equal(server.requests[0]?.headers['x-injected'], undefined)
    }
  })

  test('SEC-43 an answer of any other status is none, even if it holds a success', async (t) => {
    for (const status of [201, 203, 204, 301, 302, 304, 400, 401, 403, 404, 500, 503]) {
      const server = await startSecureServer(t, (_, response) => {
        response.writeHead(status, { location: 'https://elsewhere.test/' })
        response.end(success)
      })
      const reason = await reasonFor(cas.verify(endpointAt(server), { secret: 'ST-1' }))
      assert.equal(reason, `CAS: answered with status ${status}`)
    }
  })

  test('SEC-43 a huge answer is a failed login, and so is one that is no success', async (t) => {
    const huge = await startSecureServer(t, (_, response) => {
      response.on('error', () => {})
      response.end(success + ' '.repeat(1_000_000))
    })
    const reason = await reasonFor(cas.verify(endpointAt(huge), { secret: 'ST-1' }))
    assert.match(reason, /^CAS: .*more than 65536 bytes$/)
    const page = await startSecureServer(t, (_, response) => response.end('<html>ada</html>'))
    assert.match(await reasonFor(cas.verify(endpointAt(page), { secret: 'ST-1' })), /^CAS answer: /)
  })

  test('SEC-45 a server at an address that is not allowed is not asked', async (t) => {
    const server = await startYes(t)
    const url = `https://127.0.0.1:${server.port}/cas`
    const reason = await reasonFor(cas.verify(endpointAt(server, { url }), { secret: 'ST-1' }))
    assert.match(reason, /^CAS: .*not allowed$/)
    assert.equal(server.connections(), 0)
  })

  test('SEC-47 a server whose certificate is not right is not asked', async (t) => {
    const cases = [
      ['authority', null, /self-signed/],
      ['issued', null, /certificate/],
      ['expired', testAuthority, /expired/],
      ['elsewhere', testAuthority, /altnames/],
    ] as const
    for (const [certificate, ca, message] of cases) {
      const server = await startYes(t, certificate)
      const reason = await reasonFor(
        cas.verify(endpointAt(server, { ca }), { secret: 'ST-secret' }),
      )
      assert.match(reason, message)
      assert.ok(!reason.includes('ST-secret'))
      assert.equal(server.requests.length, 0)
    }
  })

  test('an address that is none is a failed login', async (t) => {
    const server = await startYes(t)
    for (const url of ['', 'cas', 'http://localhost/', 'https://']) {
      await reasonFor(cas.verify(endpointAt(server, { url }), { secret: 'ST-1' }))
    }
  })
})
