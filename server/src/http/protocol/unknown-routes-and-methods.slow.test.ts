import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { callOperation, pathOf } from '../../testing/call-operation.ts'
import { ask, loginAdmin } from '../../testing/client.ts'
import { assertError, assertRawError } from '../../testing/assert-error.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import {
  createOperationFixtures,
  type OperationFixtures,
} from '../../testing/platform-world/operation-fixtures.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const all: readonly Operation[] = operations
const sampled = sampleOperations(all)
const paths = [...new Set(sampled.map(pathOf))]

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

const typeOf = ({ id }: Operation) => (id === 'issueToken' ? 'application/json' : undefined)
const hostLine = 'Host: localhost'

const matches = ({ path: pattern }: Operation, path: string) =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

/** Every GET also has HEAD, and every PUT under /v3 also has PATCH. */
function methodsFor({ method, path }: Operation): string[] {
  if (method === 'GET') return ['GET', 'HEAD']
  return method === 'PUT' && path.startsWith('/v3/') ? ['PUT', 'PATCH'] : [method]
}

/** The methods of a path in the contract. */
const methodsOf = (path: string) =>
  new Set(all.filter((operation) => matches(operation, path)).flatMap(methodsFor))

describe('unknown routes', () => {
  const unknown = [
    '/nowhere',
    '/v3/auth',
    '/v3/auth/tokens/x',
    '/v3/auth/tokens//',
    '//v3',
    '/V3',
    '/v3/../healthz',
    '/v3/%2e%2e/healthz',
    '/v3%2fauth/tokens',
    '/healthz;a=b',
    '/healthz%00',
    '/healthz%20',
    '/healthz.',
    '/__proto__',
    '/constructor',
    '/server',
    '/servers/a/b',
    '/docs/../v3/auth/tokens',
    `/${'x'.repeat(4_000)}`,
  ]
  for (const path of unknown) {
    test(`404 for ${path.slice(0, 40)}`, async () => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await askRaw(url, [`${method} ${path} HTTP/1.1`, hostLine])
        assertRawError(answer, 'NotFoundError')
      }
    })
  }

  test('404 with any token', async () => {
    assertError(await ask(url, '/nowhere', { token }), 'NotFoundError')
    assertError(await ask(url, '/nowhere', { token: 'nonsense' }), 'NotFoundError')
  })

  test('404 with a body of any type', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data']) {
      const headers = { 'content-type': type }
      const answer = await ask(url, '/nowhere', { method: 'POST', headers, body: '{' })
      assertError(answer, 'NotFoundError')
    }
  })

  test('a trailing slash is the same route', async () => {
    assert.equal((await ask(url, '/healthz/')).status, 200)
    assert.equal((await ask(url, '/v3/')).status, 200)
  })

  test('400 for a path that is not percent-encoded UTF-8', async () => {
    for (const path of ['/%', '/%zz', '/%ff', '/v3/%c3', '/healthz%']) {
      assertRawError(await askRaw(url, [`GET ${path} HTTP/1.1`, hostLine]), 'InvalidFormatError')
    }
  })
})

describe('methods', () => {
  // CONNECT has no path; the framework has a special rule for QUERY.
  const lookedAtBelow = new Set(['CONNECT', 'QUERY'])

  for (const path of paths) {
    test(`405 with Allow for every method that ${path} does not have`, async () => {
      const allowed = methodsOf(path)
      const others = METHODS.filter((name) => !allowed.has(name) && !lookedAtBelow.has(name))
      for (const method of others) {
        const answer = await askRaw(url, [`${method} ${path} HTTP/1.1`, hostLine])
        if (method === 'HEAD') assert.deepEqual([answer.status, answer.body], [405, ''])
        else assertRawError(answer, 'MethodNotAllowedError')
        const offered = (answer.headers['allow'] ?? '').split(', ')
        assert.deepEqual(offered.sort(), [...allowed].sort(), method)
      }
    })
  }

  test('405 is checked before authentication', async () => {
    const answer = await ask(url, '/v3/auth/projects', { method: 'POST', body: { a: 1 } })
    assertError(answer, 'MethodNotAllowedError')
  })

  test('405 for QUERY, with or without a content type', async () => {
    for (const type of [[], ['Content-Type: application/json'], ['Content-Type: text/plain']]) {
      for (const path of paths) {
        const answer = await askRaw(url, [`QUERY ${path} HTTP/1.1`, hostLine, ...type])
        assertRawError(answer, 'MethodNotAllowedError')
      }
      const nowhere = await askRaw(url, ['QUERY /nowhere HTTP/1.1', hostLine, ...type])
      assertRawError(nowhere, 'NotFoundError')
    }
  })

  test('405 for an unknown method', async () => {
    for (const method of ['FROBNICATE', 'get', 'GETX', 'X']) {
      const answer = await askRaw(url, [`${method} /healthz HTTP/1.1`, hostLine])
      assertRawError(answer, 'MethodNotAllowedError')
    }
  })

  test('CONNECT is 405', async () => {
    const answer = await askRaw(url, ['CONNECT muster:443 HTTP/1.1', hostLine])
    assert.equal(answer.status, 405)
  })

  test('X-HTTP-Method-Override is ignored', async () => {
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-subject-token': token,
    }
    assert.equal((await ask(url, '/v3/auth/tokens', { token, headers })).status, 200)
    assert.equal((await ask(url, '/v3/auth/tokens', { token, headers })).status, 200)
  })
})

describe('content types', () => {
  const wrong = [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json5',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/vnd.api+json',
    'json',
    '*/*',
    ';',
  ]
  for (const operation of sampled) {
    test(`415 for anything but JSON at ${operation.id}, with or without a body`, async () => {
      for (const type of wrong) {
        const headers = { 'content-type': type }
        const bodiless = await askBodiless(operation, type)
        if (operation.method === 'HEAD') assert.equal(bodiless.status, 415, type)
        else assertRawError(bodiless, 'UnsupportedMediaTypeError', typeOf(operation))
        if (operation.method === 'GET' || operation.method === 'HEAD') continue
        const answer = await callOperation(url, operation, { token, headers, body: '{}' })
        assertError(answer, 'UnsupportedMediaTypeError', typeOf(operation))
      }
    })

    test(`${operation.id} accepts application/json with parameters`, async () => {
      const good = [
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset=UTF-8',
        'application/json; charset="utf-8"',
        'application/json; foo=bar',
      ]
      for (const type of good) {
        const prepared = await fixtures.prepare(operation)
        const headers = { 'content-type': type }
        const { status } = await callOperation(url, operation, { ...prepared, headers })
        assert.ok(status < 400, `${type}: ${status}`)
      }
    })
  }

  test('415 for a body without a type', async () => {
    const head = ['POST /v3/auth/tokens HTTP/1.1', hostLine, 'Content-Length: 2']
    const answer = await askRaw(url, head, '{}')
    assertRawError(answer, 'UnsupportedMediaTypeError', 'application/json')
  })

  function askBodiless(operation: Operation, type: string) {
    return askRaw(url, [
      `${operation.method} ${pathOf(operation)} HTTP/1.1`,
      hostLine,
      `X-Auth-Token: ${token}`,
      `X-Subject-Token: ${token}`,
      `Content-Type: ${type}`,
    ])
  }
})

describe('bodies on routes without a body', () => {
  for (const operation of sampled.filter(({ body }) => body === undefined)) {
    test(`400 at ${operation.id}`, async () => {
      const head = [
        `${operation.method} ${pathOf(operation)} HTTP/1.1`,
        hostLine,
        `X-Auth-Token: ${token}`,
        `X-Subject-Token: ${token}`,
        'Content-Type: application/json',
      ]
      // An empty object is accepted as no body: many clients always send one.
      const isRead = operation.method === 'GET' || operation.method === 'HEAD'
      const [text, length] = isRead ? ['{}', 2] : ['[]', 2]
      const whole = await askRaw(url, [...head, `Content-Length: ${length}`], text)
      const chunked = await askRaw(
        url,
        [...head, 'Transfer-Encoding: chunked'],
        `${length}\r\n${text}\r\n0\r\n\r\n`,
      )
      for (const answer of [whole, chunked]) {
        if (operation.method === 'HEAD') assert.equal(answer.status, 400)
        else assertRawError(answer, 'InputParameterError')
      }
      assert.equal((await ask(url, '/v3/auth/projects', { token })).status, 200)
    })
  }
})

describe('queries', () => {
  for (const operation of sampled) {
    const refuse = async (
      query: string,
      errorClass: 'InputParameterError' | 'InvalidFormatError',
    ) => {
      const answer = await callOperation(url, operation, { token, query })
      if (operation.method === 'HEAD') {
        assert.equal(answer.status, 400, query)
        return undefined
      }
      return assertError(answer, errorClass, typeOf(operation))
    }

    test(`400 for an unknown parameter at ${operation.id}, naming it`, async () => {
      const known = Object.keys(operation.query?.properties ?? {})
      const names = ['unknown', 'limit', 'scope', 'user_id', '__proto__', 'constructor', 'Limit']
      for (const name of names.filter((word) => !known.includes(word))) {
        const error = await refuse(`?${name}=1`, 'InputParameterError')
        if (error) assert.equal(error.fields?.[0]?.path, name)
      }
      await refuse('?a', 'InputParameterError')
      await refuse('?=', 'InputParameterError')
    })

    test(`400 for a repeated parameter at ${operation.id}`, async () => {
      await refuse('?limit=1&limit=9999', 'InputParameterError')
    })

    test(`400 for broken percent-encoding at ${operation.id}`, async () => {
      for (const query of ['?%zz', '?a=%', '?a=%ff', '?%00=1']) {
        const answer = await callOperation(url, operation, { token, query })
        assert.equal(answer.status, 400, query)
      }
      await refuse('?%', 'InvalidFormatError')
    })

    test(`an empty query is ignored at ${operation.id}`, async () => {
      const prepared = await fixtures.prepare(operation)
      const { status } = await callOperation(url, operation, { ...prepared, query: '?' })
      assert.ok(status < 400, String(status))
    })
  }
})

describe('REL-15: header blocks', () => {
  const fillers = (count: number, value = '1') =>
    Array.from({ length: count }, (_, index) => `X-Filler-${index}: ${value}`)

  for (const path of [...paths, '/nowhere']) {
    test(`REL-15: 431 above 100 headers or 16 KiB at ${path}`, async () => {
      const line = `GET ${path} HTTP/1.1`
      // Host and Connection are two of the hundred.
      const atMost = await askRaw(url, [line, hostLine, ...fillers(98)])
      assert.notEqual(atMost.status, 431)
      const oneMore = await askRaw(url, [line, hostLine, ...fillers(99)])
      assertRawError(oneMore, 'HeaderTooLargeError')
      const tooLarge = await askRaw(url, [line, hostLine, ...fillers(17, 'x'.repeat(1_000))])
      assertRawError(tooLarge, 'HeaderTooLargeError')
    })
  }

  test('REL-15: 431 for one header or a target that is too large', async () => {
    const long = 'x'.repeat(17 * 1_024)
    const inHeader = await askRaw(url, ['GET /healthz HTTP/1.1', hostLine, `X-Auth-Token: ${long}`])
    assertRawError(inHeader, 'HeaderTooLargeError')
    const inTarget = await askRaw(url, [`GET /healthz?${long} HTTP/1.1`, hostLine])
    assertRawError(inTarget, 'HeaderTooLargeError')
  })

  test('accepts 15 KiB in one header', async () => {
    const long = 'x'.repeat(15 * 1_024)
    assert.equal((await ask(url, '/healthz', { headers: { 'x-filler': long } })).status, 200)
  })
})

describe('Host', () => {
  test('400 if missing', async () => {
    for (const path of paths) {
      assertRawError(await askRaw(url, [`GET ${path} HTTP/1.1`]), 'InvalidFormatError')
    }
  })

  test('400 for two, even if identical', async () => {
    for (const second of ['Host: other', hostLine]) {
      const answer = await askRaw(url, ['GET /healthz HTTP/1.1', hostLine, second])
      assertRawError(answer, 'InvalidFormatError')
    }
  })

  test('400 if invalid', async () => {
    for (const host of ['a b', 'a/b', 'a?b', 'a@b', '<script>']) {
      const answer = await askRaw(url, ['GET /healthz HTTP/1.1', `Host: ${host}`])
      assertRawError(answer, 'InvalidFormatError')
    }
  })

  test('is optional under HTTP/1.0', async () => {
    assert.equal((await askRaw(url, ['GET /healthz HTTP/1.0'])).status, 200)
  })
})

describe('Expect', () => {
  test('an unknown expectation is ignored', async () => {
    const answer = await askRaw(url, ['GET /healthz HTTP/1.1', hostLine, 'Expect: something'])
    assert.ok(answer.status === 200 || answer.status === 417, String(answer.status))
    assert.ok(answer.headers['x-request-id'])
  })

  test('an unknown expectation does not bypass the checks', async () => {
    const head = ['GET /v3/auth/projects HTTP/1.1', hostLine, 'Expect: something']
    assertRawError(await askRaw(url, head), 'UnauthorizedError')
  })
})

describe('request targets', () => {
  test('the absolute form is the same route', async () => {
    const get = await askRaw(url, ['GET http://muster/healthz HTTP/1.1', hostLine])
    assert.equal(get.status, 200)
    const post = await askRaw(url, ['POST http://muster/healthz HTTP/1.1', hostLine])
    assertRawError(post, 'MethodNotAllowedError')
  })

  test('a percent-encoded letter equals the letter, for every method', async () => {
    const get = await askRaw(url, ['GET /%68ealthz HTTP/1.1', hostLine])
    assert.equal(get.status, 200)
    const post = await askRaw(url, ['POST /%68ealthz HTTP/1.1', hostLine])
    assertRawError(post, 'MethodNotAllowedError')
  })

  test('400 for a fragment', async () => {
    const answer = await askRaw(url, ['GET /healthz#x HTTP/1.1', hostLine])
    assert.ok(answer.status === 400 || answer.status === 404, String(answer.status))
  })

  test('rejects *', async () => {
    const answer = await askRaw(url, ['GET * HTTP/1.1', hostLine])
    assert.ok(answer.status === 400 || answer.status === 404, String(answer.status))
  })
})
