import assert from 'node:assert/strict'
import { errorStatus } from '@muster/contract'
import { after, before, describe, test } from 'node:test'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import type { TestPlatform } from '../../server/src/testing/start-platform.ts'
import {
  ApiError,
  ConflictError,
  ConnectionError,
  createClient,
  ForbiddenError,
  InvalidInputError,
  isApiError,
  NotFoundError,
  RateLimitedError,
  tokenAuth,
  UnauthorizedError,
  UnavailableError,
} from './index.ts'

const answering = (response: () => Response) =>
  createClient({ url: 'http://muster.test', fetch: async () => response(), retries: 0 })

const failure = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  )

describe('errors', () => {
  let platform: TestPlatform
  let token: string
  before(async () => {
    platform = await startPlatform()
    ;({ token } = await createAdminClient(platform))
  })
  after(() => platform.close())

  const connect = (headers = {}) =>
    createClient({ url: platform.url, auth: tokenAuth(token), headers })

  test('have the class and all fields of the response', async () => {
    const client = connect({ 'x-request-id': 'mine.1' })
    const error = await failure(client.getUser({ parameters: { id: 'nobody' } }))
    assert.ok(isApiError(error, 'ResourceNotFoundError'))
    assert.equal(error.status, 404)
    assert.equal(error.requestId, 'mine.1')
    assert.match(error.details, /\w/)
    assert.ok(error instanceof ApiError && error instanceof Error)
    assert.ok(!isApiError(error, 'NotFoundError', 'ForbiddenError'))
    assert.ok(isApiError(error))
    assert.ok(!isApiError(new Error('another')))
  })

  const classes = {
    InvalidInputError,
    UnauthorizedError,
    ForbiddenError,
    NotFoundError,
    ConflictError,
    RateLimitedError,
    UnavailableError,
  }
  const classOf: Readonly<Record<number, keyof typeof classes>> = {
    400: 'InvalidInputError',
    401: 'UnauthorizedError',
    403: 'ForbiddenError',
    404: 'NotFoundError',
    409: 'ConflictError',
    412: 'ConflictError',
    429: 'RateLimitedError',
    502: 'UnavailableError',
    503: 'UnavailableError',
    504: 'UnavailableError',
  }
  for (const status of [...new Set(Object.values(errorStatus)), 408, 418]) {
    test(`are of exactly one class for the status ${status}`, async () => {
      const error = await failure(answering(() => new Response('', { status })).listServers())
      assert.ok(error instanceof ApiError)
      const found = Object.entries(classes).filter(([, type]) => error instanceof type)
      assert.deepEqual(
        found.map(([name]) => name),
        [classOf[status]].filter((name) => name !== undefined),
      )
    })
  }

  test('name the invalid fields', async () => {
    const body = { user: { name: '' } }
    const error = await failure(connect().createUser({ body }))
    assert.ok(isApiError(error, 'InputParameterError'))
    assert.ok(error.fields.length > 0)
    for (const { path } of error.fields) assert.equal(path, 'user.name')
  })

  test('contain the time to retry after', async () => {
    const client = answering(
      () => new Response('', { status: 503, headers: { 'retry-after': '7' } }),
    )
    const error = await failure(client.showReadiness())
    assert.ok(isApiError(error, 'ServiceUnavailable'))
    assert.equal(error.retryAfter, 7)
  })

  test('of a proxy are distinguished from those of Muster', async () => {
    const page = () =>
      new Response('<html>Bad gateway</html>', {
        status: 502,
        headers: { 'content-type': 'text/html' },
      })
    const error = await failure(answering(page).listServers())
    assert.ok(isApiError(error, 'BadGateway'))
    assert.match(error.details, /502 with text\/html/)
  })

  test('a page in place of the API counts as no response', async () => {
    const answer = (contentType: string, text: string) =>
      answering(() => new Response(text, { headers: { 'content-type': contentType } }))
    const page = answer('text/html', '<html>Log in to the network</html>')
    for (const call of [page.listServers(), page.stream('listServers')]) {
      const error = await failure(call)
      assert.ok(error instanceof ConnectionError)
      assert.match(error.message, /200 with text\/html/)
    }
    const broken = answer('application/json', '<html>')
    assert.ok((await failure(broken.listServers())) instanceof ConnectionError)

    assert.equal(await page.showReference(), '<html>Log in to the network</html>')
    const table = await answer('text/csv; charset=utf-8', 'id').stream('listServers')
    assert.equal(await table.text(), 'id')
  })

  test('without a response have their own class', async () => {
    const nowhere = createClient({ url: 'http://127.0.0.1:9', retries: 0 })
    const error = await failure(nowhere.showHealth())
    assert.ok(error instanceof ConnectionError)
    assert.match(error.message, /127\.0\.0\.1:9/)
    assert.ok(error.cause)
    const onPage = createClient({
      fetch: () => Promise.reject(new TypeError('offline')),
      retries: 0,
    })
    const offline = await failure(onPage.showHealth())
    assert.equal((offline as Error).message, 'No response from the server')
  })

  test('a truncated response is a connection error', async () => {
    const pieces = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"status"')),
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    const error = await failure(answering(() => new Response(pieces)).showHealth())
    assert.ok(error instanceof ConnectionError)
  })

  test('an abort stays an abort', async () => {
    const abort = AbortSignal.abort()
    const error = await failure(connect().listServers({ signal: abort }))
    assert.equal((error as Error).name, 'AbortError')
    const own = new Error('changed my mind')
    const signal = AbortSignal.abort(own)
    assert.equal(await failure(connect().listServers({ signal })), own)
  })
})
