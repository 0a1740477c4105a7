import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, loginAdmin, passwordIdentity } from '../testing/client.ts'
import {
  attributesOf,
  startFakeCollector,
  type CollectedSpan,
  type FakeCollector,
} from '../testing/fake-collector.ts'
import { onEngineOfLane } from '../testing/lanes.ts'
import { listen, openSocket, sendRaw } from '../testing/raw-socket.ts'
import { suiteLifetime, temporaryFolder } from '../testing/spawn-muster.ts'
import { adminPassword, startPlatform } from '../testing/start-platform.ts'

const remoteTrace = '0af7651916cd43dd8448eb211c80319c'
const remoteSpan = 'b7ad6b7169203331'
const forwarded = { 'x-forwarded-for': '192.0.2.7' }

/** A login whose body arrives after its headers. */
async function logInSlowly(url: string): Promise<void> {
  const body = JSON.stringify({ auth: { identity: passwordIdentity('nobody', 'wrong') } })
  const socket = openSocket(url)
  socket.write(
    `POST /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  await pause(50)
  socket.write(body)
  const { answers } = await listen(socket)
  assert.equal(answers[0]?.status, 401)
}

/** Five requests in one packet, of which the first has a remote parent. */
async function sendPipelined(url: string, token: string, parent: string): Promise<void> {
  const head = `GET /v3/groups HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\n`
  const first = `${head}X-Forwarded-For: 192.0.2.7\r\nTraceparent: ${parent}\r\n\r\n`
  const { answers } = await sendRaw(
    url,
    `${first}${`${head}\r\n`.repeat(3)}${head}Connection: close\r\n\r\n`,
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
}

onEngineOfLane('traces', (engine) => {
  const lifetime = suiteLifetime()
  let collector: FakeCollector
  let token: string
  let metrics: string
  const requestIds: (string | null)[] = []
  let spans: CollectedSpan[]

  const named = (name: string) => spans.filter((span) => span.name === name)
  const childrenOf = ({ spanId }: CollectedSpan) =>
    spans.filter(({ parentSpanId }) => parentSpanId === spanId)

  before(async () => {
    collector = await startFakeCollector(lifetime)
    const file = `${temporaryFolder(lifetime)}/muster.toml`
    writeFileSync(file, 'otlp_headers = "Authorization=Bearer%20abc"\n')
    const platform = await startPlatform({
      engine,
      flags: [
        `--config=${file}`,
        `--otlp-endpoint=${collector.url}`,
        '--trusted-proxies=127.0.0.1',
      ],
    })
    try {
      token = await loginAdmin(platform.url)
      await logInSlowly(platform.url)
      const send = async (path: string, headers: Record<string, string> = {}) => {
        const response = await ask(platform.url, path, { token, headers })
        requestIds.push(response.headers.get('x-request-id'))
        return response
      }
      // The second one is answered from the cache.
      for (const path of ['/servers?search=hidden-name', '/servers?search=hidden-name']) {
        assert.equal((await send(path)).status, 200)
      }
      assert.equal((await send('/servers/hidden-name')).status, 404)
      const traceparent = (flags: string) => `00-${remoteTrace}-${remoteSpan}-${flags}`
      await send('/v3/projects', { ...forwarded, traceparent: traceparent('01') })
      await send('/v3/domains', { ...forwarded, traceparent: traceparent('00') })
      await send('/v3/users', { traceparent: traceparent('01') })
      await sendPipelined(platform.url, token, traceparent('01'))
      const session = await ask(platform.url, '/api/session', {
        method: 'POST',
        body: { name: 'sysadmin', password: adminPassword },
        headers: { origin: platform.url },
      })
      assert.equal(session.status, 201)
      metrics = (await send('/metrics')).text
    } finally {
      await platform.close()
    }
    spans = collector.spans()
  })

  test('have one server span for each request, with its route, status and id', () => {
    const lists = named('GET /servers')
    assert.equal(lists.length, 2)
    assert.deepEqual(
      lists.map((span) => attributesOf(span)['muster.request_id']),
      requestIds.slice(0, 2),
    )
    const [missing] = named('GET /servers/{id}')
    assert.ok(missing)
    assert.deepEqual(attributesOf(missing), {
      'http.request.method': 'GET',
      'http.route': '/servers/{id}',
      'http.response.status_code': '404',
      'muster.request_id': requestIds[2],
    })
    assert.deepEqual([missing.kind, missing.status], [2, {}])
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
  })

  test('have the statements of a request as its children, also after its body was read', () => {
    const [login, slow] = named('POST /v3/auth/tokens')
    assert.ok(login && slow)
    const statements = childrenOf(login)
    const names = statements.map(({ name }) => name)
    assert.ok(names.includes('commit') && names.includes('select users'), names.join())
    assert.ok(childrenOf(slow).length > 0)
    for (const statement of statements) {
      assert.equal(statement.traceId, login.traceId)
      assert.equal(statement.kind, 3)
      assert.ok(BigInt(statement.startTimeUnixNano) >= BigInt(login.startTimeUnixNano))
      assert.ok(BigInt(statement.endTimeUnixNano) >= BigInt(statement.startTimeUnixNano))
      const { 'db.system.name': system } = attributesOf(statement)
      assert.equal(system, engine === 'sqlite' ? 'sqlite' : 'postgresql')
    }
    const [first, cached] = named('GET /servers').map((span) => childrenOf(span).length)
    assert.ok(first !== undefined && first > 0)
    assert.equal(cached, 0)
  })

  test('contain no query, no name and no secret', () => {
    const sent = collector.bodies.join()
    for (const secret of ['hidden-name', adminPassword, token, 'search']) {
      assert.ok(!sent.includes(secret), secret)
    }
  })

  test('continue the trace of a trusted proxy, and nobody else’s', () => {
    const [projects] = named('GET /v3/projects')
    assert.deepEqual([projects?.traceId, projects?.parentSpanId], [remoteTrace, remoteSpan])
    assert.equal(named('GET /v3/domains').length, 0, 'the proxy did not sample it')
    const [users] = named('GET /v3/users')
    assert.ok(users && users.traceId !== remoteTrace && users.parentSpanId === undefined)
  })

  test('do not connect pipelined requests with each other', () => {
    const groups = named('GET /v3/groups')
    assert.deepEqual(
      groups.map(({ parentSpanId }) => parentSpanId),
      [remoteSpan, undefined, undefined, undefined, undefined],
    )
    assert.equal(new Set(groups.map(({ traceId }) => traceId)).size, 5)
    for (const span of groups) {
      assert.ok(childrenOf(span).every(({ traceId }) => traceId === span.traceId))
    }
  })

  test('connect a request of the console with the requests that the gateway makes for it', () => {
    const login = named('POST /v3/auth/tokens').at(-1)
    const parent = spans.find(({ spanId }) => spanId === login?.parentSpanId)
    assert.deepEqual([parent?.name, parent?.traceId], ['POST /api/session', login?.traceId])
  })

  test('are sent with the headers of the operator, and counted', () => {
    assert.ok(collector.requests.length > 0)
    for (const { target, headers } of collector.requests) {
      assert.equal(target, 'POST /v1/traces')
      assert.equal(headers.authorization, 'Bearer abc')
      assert.equal(headers['content-type'], 'application/json')
    }
    assert.match(metrics, /^muster_trace_spans_total\{result="dropped"\} 0$/m)
  })
})
