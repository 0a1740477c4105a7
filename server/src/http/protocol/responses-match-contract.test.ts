import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { jsonContentType, operations, type Operation } from '@muster/contract'
import { Ajv } from 'ajv'
import { callOperation, pathOf } from '../../testing/call-operation.ts'
import { ask, loginAdmin } from '../../testing/client.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import {
  createOperationFixtures,
  type OperationFixtures,
} from '../../testing/platform-world/operation-fixtures.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const made = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const all: readonly Operation[] = operations
const ajv = new Ajv({ strict: false, validateFormats: false })

let platform: TestPlatform
let url: string
let token: string
let fixtures: OperationFixtures
before(async () => {
  platform = await startPlatform()
  url = platform.url
  token = await loginAdmin(url)
  fixtures = await createOperationFixtures(platform, token)
})
after(() => platform.close())

/** The input with which each operation succeeds. */
const call = async (operation: Operation, headers: Record<string, string> = {}) =>
  callOperation<unknown>(url, operation, { ...(await fixtures.prepare(operation)), headers })

describe('every operation', () => {
  for (const operation of all) {
    test(`${operation.id} responds as in the contract, with exactly its content type`, async () => {
      const answer = await call(operation)
      const declared = operation.responses[answer.status]
      assert.ok(declared, `${answer.status} ${answer.text}`)
      if (!declared.body || operation.method === 'HEAD') {
        assert.equal(answer.text, '')
        return
      }
      const contentType = declared.contentType ?? jsonContentType
      assert.equal(answer.headers.get('content-type'), contentType)
      const accepts = ajv.compile(declared.body)
      const content = contentType.startsWith('application/json') ? answer.body : answer.text
      assert.ok(accepts(content), ajv.errorsText(accepts.errors))
    })
  }

  for (const operation of sampleOperations(all)) {
    test(`${operation.id} keeps a valid X-Request-Id and replaces any other`, async () => {
      for (const id of ['a', 'A.b_c-9', 'x'.repeat(128)]) {
        const { headers } = await call(operation, { 'x-request-id': id })
        assert.equal(headers.get('x-request-id'), id)
      }
      for (const id of ['x'.repeat(129), 'a b', 'a/b', 'é', '<b>', 'a,b']) {
        const { headers } = await call(operation, { 'x-request-id': id })
        assert.match(headers.get('x-request-id') ?? '', made, id)
      }
      const { headers } = await call(operation)
      assert.match(headers.get('x-request-id') ?? '', made)
    })

    test(`${operation.id} returns JSON whatever the client accepts`, async () => {
      const plain = await call(operation)
      const odd = await call(operation, { accept: 'application/xml, image/*;q=0.5' })
      assert.equal(odd.status, plain.status)
      assert.equal(odd.headers.get('content-type'), plain.headers.get('content-type'))
    })

    test(`${operation.id} is not compressed and sends nosniff`, async () => {
      const { headers } = await call(operation, { 'accept-encoding': '*' })
      assert.equal(headers.get('content-encoding'), null)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.ok(headers.get('date'))
    })
  }
})

describe('X-Request-Id', () => {
  test('is also in the body of an error', async () => {
    const kept = await ask(url, '/nowhere', { headers: { 'x-request-id': 'mine' } })
    assert.equal(kept.headers.get('x-request-id'), 'mine')
    assert.equal(kept.body.request_id, 'mine')
    const replaced = await ask(url, '/nowhere', { headers: { 'x-request-id': 'not mine' } })
    assert.match(replaced.body.request_id, made)
    assert.equal(replaced.headers.get('x-request-id'), replaced.body.request_id)
  })

  test('two headers are ignored', async () => {
    const head = ['GET /healthz HTTP/1.1', 'Host: localhost', 'X-Request-Id: a', 'X-Request-Id: b']
    const { headers } = await askRaw(url, head)
    assert.match(headers['x-request-id'] ?? '', made)
  })

  test('an empty header is ignored', async () => {
    const { headers } = await askRaw(url, [
      'GET /healthz HTTP/1.1',
      'Host: localhost',
      'X-Request-Id:',
    ])
    assert.match(headers['x-request-id'] ?? '', made)
  })
})

describe('x-muster-request-id', () => {
  const issue = all.find(({ id }) => id === 'issueToken')
  assert.ok(issue)

  test('is generated for the token operation, whatever the client sent', async () => {
    const { headers } = await call(issue, {
      'x-request-id': 'mine',
      'x-muster-request-id': 'req-00000000-0000-0000-0000-000000000000',
    })
    assert.match(headers.get('x-muster-request-id') ?? '', made)
    assert.notEqual(headers.get('x-muster-request-id'), 'req-00000000-0000-0000-0000-000000000000')
    assert.equal(headers.get('x-request-id'), 'mine')
  })

  test('is not sent by other operations', async () => {
    for (const operation of sampleOperations(all).filter(({ id }) => id !== 'issueToken')) {
      const { headers } = await call(operation)
      assert.equal(headers.get('x-muster-request-id'), null, operation.id)
    }
  })

  const failedLogin = '{"auth":{"identity":{"methods":["token"],"token":{"id":"mt1_no"}}}}'
  const manyHeaders = Array.from({ length: 101 }, (_, index) => `X-Filler-${index}: 1`)
  const json = (length: number) => ['Content-Type: application/json', `Content-Length: ${length}`]
  const errors: Record<string, readonly [readonly string[], string, number]> = {
    'no body': [json(0), '', 400],
    'no JSON': [json(1), '{', 400],
    'another type': [['Content-Type: text/plain', 'Content-Length: 2'], '{}', 415],
    'a body too large': [json(65_537), '', 413],
    'a query': [json(0), '', 400],
    'a failed login': [json(failedLogin.length), failedLogin, 401],
    'too many headers': [manyHeaders, '', 431],
    'no Host': [json(0), '', 400],
  }
  for (const [name, [lines, body, status]] of Object.entries(errors)) {
    test(`is also sent with errors of the token operation: ${name}`, async () => {
      const target = name === 'a query' ? '/v3/auth/tokens?a=b' : '/v3/auth/tokens'
      const host = name === 'no Host' ? [] : ['Host: localhost']
      const answer = await askRaw(url, [`POST ${target} HTTP/1.1`, ...host, ...lines], body)
      assert.equal(answer.status, status, answer.body)
      assert.equal(answer.headers['content-type'], 'application/json')
      assert.equal(answer.headers['vary'], 'X-Auth-Token')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.match(answer.headers['x-muster-request-id'] ?? '', made)
    })
  }

  test('uses the configured platform name', async () => {
    const other = await startPlatform({ flags: ['--platform-name=acme'] })
    try {
      const { headers } = await callOperation(other.url, issue)
      assert.match(headers.get('x-acme-request-id') ?? '', made)
      assert.equal(headers.get('x-muster-request-id'), null)
    } finally {
      await other.close()
    }
  })
})

describe('HEAD', () => {
  const readers = sampleOperations(all.filter(({ method }) => method === 'GET'))

  /** A raw socket, because a client library may handle the connection of a HEAD differently. */
  async function readBoth(operation: Operation, secret: string, query = '') {
    const { path } = await fixtures.prepare(operation)
    const read = async (method: string) => {
      const answer = await askRaw(url, [
        `${method} ${path}${query} HTTP/1.1`,
        'Host: localhost',
        `X-Auth-Token: ${secret}`,
        `X-Subject-Token: ${secret}`,
      ])
      const passing = ['date', 'x-request-id']
      // Metrics grow with each request, and so does their length.
      if (operation.id === 'showMetrics') passing.push('content-length')
      const headers = Object.entries(answer.headers).filter(([name]) => !passing.includes(name))
      return { ...answer, headers }
    }
    return { get: await read('GET'), head: await read('HEAD') }
  }

  for (const operation of readers) {
    test(`${operation.path} is GET without the body`, async () => {
      const { get, head } = await readBoth(operation, token)
      assert.deepEqual(head, { ...get, body: '' })
      assert.ok(get.status < 400 && get.body !== '')
    })

    test(`${operation.path} fails like GET`, async () => {
      for (const [secret, query] of [
        ['', '?unknown=1'],
        ['', '?%zz'],
        ['nonsense', ''],
      ] as const) {
        const { get, head } = await readBoth(operation, secret, query)
        assert.deepEqual(head, { ...get, body: '' })
        assert.ok(get.status >= 400 || query === '')
      }
    })
  }

  test('sends no body on the wire, errors included', async () => {
    for (const path of [...readers.map(pathOf), '/nowhere', '/healthz?unknown=1']) {
      const answer = await askRaw(url, [`HEAD ${path} HTTP/1.1`, 'Host: localhost'])
      assert.equal(answer.body, '', path)
    }
  })
})

test('responses with tokens are not cacheable', async () => {
  for (const operation of all.filter(({ path }) => path === '/v3/auth/tokens')) {
    const { headers, status } = await call(operation)
    if (status === 204) continue
    assert.equal(headers.get('cache-control'), 'no-store', operation.id)
    assert.equal(headers.get('vary'), 'X-Auth-Token', operation.id)
  }
})
