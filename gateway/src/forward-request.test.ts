import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Output } from '@muster/sdk'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import type { Exchange } from './exchange.ts'
import { createForwardRequest } from './forward-request.ts'
import type { Sessions } from './sessions.ts'
import { createBrowser, type Browser } from './testing/browser.ts'
import { createPeople, password } from './testing/people.ts'

const servers = 4_000
type Page = Output<'listServers'>

describe('forwarding to the API', () => {
  let platform: TestPlatform
  let browser: Browser
  let userId: string
  const log: string[] = []
  before(async () => {
    const destination = { write: (line: string) => void log.push(line) }
    platform = await startPlatform({ log: { level: 'info', destination } })
    const people = await createPeople(platform)
    const { projectIds, userId: id } = await people.addOwner('reader', ['shelf'])
    userId = id
    const present = Array.from({ length: servers }, () => minimalServer(projectIds[0] ?? ''))
    await platform.inventory.recordServers({ present, gone: [] })
    browser = createBrowser(platform.url)
    await browser.logIn('reader', password)
  })
  after(() => platform.close())

  test('a page has the body and links of the API', async () => {
    const { status, body, headers } = await browser.ask<Page>('/api/servers?limit=3&order_by=id')
    assert.equal(status, 200)
    assert.deepEqual([body.total, body.servers.length], [servers, 3])
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    assert.match(next, /^\/api\/servers\?.*marker=/)
    const second = await browser.ask<Page>(next)
    assert.equal(second.body.servers.length, 3)
    assert.ok(!second.body.servers.some(({ id }) => body.servers.some((one) => one.id === id)))
  })

  test('a page of the maximum size is complete', async () => {
    const path = '/api/servers?limit=2048&details=true'
    const headers = { 'accept-encoding': 'identity' }
    const plain = await browser.ask<Page>(path, { headers })
    assert.equal(plain.body.servers.length, 2048)
    assert.equal(Number(plain.headers.get('content-length')), Buffer.byteLength(plain.text))
    for (const coding of ['gzip', 'br']) {
      const answer = await browser.ask(path, { headers: { 'accept-encoding': coding } })
      assert.equal(answer.headers.get('content-encoding'), coding)
      assert.equal(answer.text, plain.text)
    }
  })

  test('unchanged data is answered with 304', async () => {
    const first = await browser.ask('/api/servers?limit=5')
    const etag = first.headers.get('etag') ?? ''
    const again = await browser.ask('/api/servers?limit=5', { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.text], [304, ''])
    assert.equal(again.headers.get('etag'), etag)
    assert.equal(first.headers.get('vary'), 'Cookie, Accept, Accept-Encoding')
  })

  test('a change of another version is refused', async () => {
    const { body } = await browser.ask<Page>('/api/servers?limit=1')
    const path = `/api/servers/${body.servers[0]?.id}`
    const change = { method: 'PUT', body: { server: { description: 'mine' } } }
    const headers = { 'if-match': '"v99"' }
    assertError(await browser.ask(path, { ...change, headers }), 'PreconditionFailedError')
    assert.equal((await browser.ask(path, change)).status, 200)
  })

  test('HEAD has the headers of GET and no body', async () => {
    const get = await browser.ask('/api/servers?limit=5')
    const head = await browser.ask('/api/servers?limit=5', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers.get('etag'), get.headers.get('etag'))
    assert.equal((await browser.ask('/api/v3/users', { method: 'HEAD' })).status, 200)
    // Also of what the gateway answers itself.
    for (const path of ['/api/login', '/console/']) {
      const lengths = await Promise.all(
        ['GET', 'HEAD'].map(async (method) =>
          (await browser.fetchRaw(path, { method })).headers.get('content-length'),
        ),
      )
      assert.equal(lengths[1], lengths[0], path)
      assert.ok(Number(lengths[0]) > 50, path)
    }
  })

  test('the response and the audit log have the same request id', async () => {
    const body = { project: { name: 'not mine to make' } }
    const headers = { 'x-request-id': 'from.the.page' }
    const answer = await browser.ask('/api/v3/projects', { method: 'POST', body, headers })
    assertError(answer, 'ForbiddenError')
    assert.equal(answer.headers.get('x-request-id'), 'from.the.page')
    const events = await platform.database.db
      .selectFrom('events')
      .where('request_id', '=', 'from.the.page')
      .select(['user_id', 'result'])
      .execute()
    assert.deepEqual(
      events.map(({ user_id, result }) => [user_id, result]),
      [[userId, 'denied']],
    )
  })

  test('identity and address headers of the browser are ignored', async () => {
    const claims = {
      'x-auth-token': 'mt1_forged',
      'x-subject-token': 'mt1_forged',
      'x-user-id': 'somebody',
      'x-roles': 'admin',
      'x-project-id': 'another',
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-host': 'evil.example',
      'x-original-url': '/v3/users',
      'x-http-method-override': 'DELETE',
      authorization: 'Bearer nonsense',
      forwarded: 'for=198.51.100.7',
      te: 'trailers',
    }
    const plain = await browser.ask<Page>('/api/servers?limit=1')
    const claimed = await browser.ask<Page>('/api/servers?limit=1', { headers: claims })
    assert.equal(claimed.status, 200)
    assert.equal(claimed.text, plain.text)

    const headers = { ...claims, 'x-request-id': 'claimed' }
    const change = { method: 'POST', body: { role: { name: 'x' } }, headers }
    assert.equal((await browser.ask('/api/v3/roles', change)).status, 403)
    const event = await platform.database.db
      .selectFrom('events')
      .where('request_id', '=', 'claimed')
      .select('ip')
      .executeTakeFirstOrThrow()
    assert.equal(event.ip, '127.0.0.1')
  })

  test('errors of the API are passed on unchanged', async () => {
    assertError(await browser.ask('/api/servers?limit=ten'), 'InputParameterError')
    assertError(await browser.ask('/api/servers/none'), 'ResourceNotFoundError')
    const form = { method: 'POST', body: {}, headers: { 'content-type': 'text/plain' } }
    assertError(await browser.ask('/api/v3/policies/check', form), 'UnsupportedMediaTypeError')
  })

  test('a wrong current password does not end the session', async () => {
    const user = { original_password: 'not this one', password: 'a better password than that' }
    const change = { method: 'POST', body: { user } }
    assert.equal((await browser.ask(`/api/v3/users/${userId}/password`, change)).status, 401)
    assert.equal((await browser.ask('/api/session')).status, 200)
  })

  test('SEC-53 text with markup is sent with a data content type', async () => {
    const markup = '<img src=x onerror=alert(1)>"\'</script><script>alert(2)</script>'
    const { projectIds } = await (await createPeople(platform)).addOwner(markup, [markup])
    const facts = { name: markup, tags: { [markup.slice(0, 20)]: markup } }
    await platform.inventory.recordServers({
      present: [minimalServer(projectIds[0] ?? '', facts)],
      gone: [],
    })
    const hostile = createBrowser(platform.url)
    await hostile.logIn(markup, password)
    const paths = [
      '/api/servers?details=true&with_meta=true',
      '/api/session',
      `/api/servers/${encodeURIComponent(markup).replaceAll('%2F', '-')}`,
      `/api/servers?${encodeURIComponent(markup)}=1`,
      `/api/nothing/${encodeURIComponent('<script>')}`,
      `/api/session/cas/${encodeURIComponent('<script>')}`,
      `/api/session/cas?next=${encodeURIComponent('<script>')}`,
    ]
    for (const path of paths) {
      const { headers, text } = await hostile.ask(path, {
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      })
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/, path)
      if (text !== '') assert.equal(headers.get('content-type'), 'application/json; charset=UTF-8')
    }
    const page = await hostile.ask(`/console/${encodeURIComponent('<script>')}.html`)
    assert.ok(!page.text.includes('<script>alert'))
  })

  test('an export is streamed and complete', async () => {
    const response = await browser.fetchRaw('/api/servers?format=ndjson')
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-length'), null)
    let pieces = 0
    let lines = 0
    for await (const piece of response.body ?? []) {
      pieces += 1
      lines += Buffer.from(piece as Uint8Array).filter((byte) => byte === 10).length
    }
    assert.equal(lines, servers)
    assert.ok(pieces > 1)
    const csv = await browser.ask('/api/servers?format=csv&field=id')
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
    assert.equal(csv.text.trim().split('\n').length, servers + 1)
  })

  test('probes of the console are not logged at level info, other requests are', async () => {
    const operationsOf = async (path: string, headers = { 'x-muster-poll': '1' }) => {
      log.length = 0
      assert.equal((await browser.ask(path, { headers })).status, 200)
      await pause(50)
      return log.map((line) => (JSON.parse(line) as { operation?: string }).operation)
    }
    assert.deepEqual(await operationsOf('/api/v3/auth/catalog'), [])
    assert.deepEqual(await operationsOf('/api/servers?limit=1'), ['listServers'])
    const both = await operationsOf('/api/servers?limit=1', { 'x-muster-poll': '0' })
    assert.deepEqual(new Set(both), new Set(['forwardRequest', 'listServers']))
  })

  test('a request that the browser aborts is not logged as a fault of the API', async () => {
    const { database } = platform
    const { run } = database
    database.run = async (queries, pace) => {
      await pause(1_000)
      return await run(queries, pace)
    }
    log.length = 0
    const signal = AbortSignal.timeout(300)
    await assert.rejects(browser.fetchRaw('/api/servers?search=not-cached', { signal }))
    await pause(1_500)
    database.run = run
    assert.match(log.join(''), /"operation":"listServers"/)
    assert.doesNotMatch(log.join(''), /does not respond|"level":"warn"/)
  })

  test('the API request is aborted when the browser disconnects', async () => {
    const { database } = platform
    const { run } = database
    let asked = 0
    database.run = async (queries, pace) => {
      asked += 1
      await pause(10)
      return await run(queries, pace)
    }
    const abort = new AbortController()
    const path = '/api/servers?format=ndjson&with_meta=true'
    const response = await browser.fetchRaw(path, { signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    await pause(100)
    const then = asked
    await pause(200)
    database.run = run
    assert.ok(then > 0 && then < servers / 100, String(then))
    assert.equal(asked, then)
  })
})

test('only known headers pass the gateway, in both directions', async () => {
  const request = [
    'accept',
    'accept-encoding',
    'content-type',
    'content-encoding',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'user-agent',
    'x-muster-poll',
  ]
  const response = [
    'content-type',
    'content-length',
    'content-encoding',
    'content-disposition',
    'etag',
    'cache-control',
    'allow',
    'retry-after',
    'x-task-id',
  ]
  const stopped = ['cookie', 'set-cookie', 'authorization', 'x-auth-token', 'server', 'x-other']
  const valuesOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `${name} of it`]))
  let sent: object | undefined
  const forward = createForwardRequest({
    upstream: async ({ headers }) => {
      sent = headers
      const body = Readable.from([])
      return { status: 200, headers: valuesOf([...response, ...stopped]), body }
    },
    sessions: {
      requireSession: async () => ({ tokens: { current: 'token' } }),
    } as unknown as Sessions,
    createError: (errorClass) => new Error(errorClass),
  })
  const answer = await forward({
    id: 'one',
    method: 'GET',
    url: '/api/servers',
    headers: valuesOf([...request, ...stopped]),
    signal: new AbortController().signal,
  } as Partial<Exchange> as Exchange)
  assert.deepEqual(sent, { ...valuesOf(request), 'x-request-id': 'one', 'x-auth-token': 'token' })
  assert.deepEqual(answer.headers, {
    vary: 'Cookie, Accept, Accept-Encoding',
    ...valuesOf(response),
  })
})
