import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import { assertRawError } from '../../server/src/testing/assert-error.ts'
import { askRaw } from '../../server/src/testing/raw-socket.ts'
import {
  adminPassword,
  startPlatform,
  type TestPlatform,
} from '../../server/src/testing/start-platform.ts'
import { readApiPath } from './api-path.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

describe('SEC-54 paths', () => {
  let platform: TestPlatform
  let browser: Browser
  let token: string
  before(async () => {
    platform = await startPlatform()
    browser = createBrowser(platform.url)
    await browser.logIn('sysadmin', adminPassword)
    token = await loginAdmin(platform.url)
  })
  after(() => platform.close())

  /** As written, without a client that tidies up. */
  function ask(path: string) {
    const headers = Object.entries(browser.headersOf({}))
    const lines = headers.map(([name, value]) => `${name}: ${value}`)
    return askRaw(platform.url, [
      `GET ${path} HTTP/1.1`,
      `Host: ${new URL(platform.url).host}`,
      ...lines,
    ])
  }
  const askApi = (path: string) =>
    askRaw(platform.url, [
      `GET ${path} HTTP/1.1`,
      `Host: ${new URL(platform.url).host}`,
      `X-Auth-Token: ${token}`,
    ])

  const doubtful = [
    '/servers/../v3/users',
    '/servers/..',
    '/./servers',
    '/servers/.',
    '/servers/%2e%2e/v3/users',
    '/servers/%2E%2E',
    '/servers/.%2e/v3/users',
    '/servers/%2e',
    '//servers',
    '/servers//x',
    '//v3/users',
    '/servers;a=b',
    '/servers/x;y',
    '/servers/x%3by',
    '/servers%2fx',
    '/v3%2Fusers',
    '/v3%2fauth%2ftokens',
    '/servers/x%5cy',
    '/servers\\x',
    '/servers/x%00',
    '/servers/x%0d%0ay',
    '/servers/x%7f',
    '/servers/x.',
    '/v3./users',
    '/servers/%',
    '/servers/%zz',
    '/servers/%ff',
    '/servers/%252e%252e/v3',
    '/servers/%252fx',
  ]
  for (const path of doubtful) {
    test(`SEC-54 ${path} is refused by the gateway`, async () => {
      assertRawError(await ask(`/api${path}`), 'InvalidFormatError')
    })
  }

  for (const path of ['/SERVERS', '/Servers', '/V3/users', '/nothing', '/v3', '/api/servers']) {
    test(`SEC-54 ${path} is found neither by the gateway nor by the API`, async () => {
      assertRawError(await ask(`/api${path}`), 'NotFoundError')
      if (path !== '/v3' && path !== '/api/servers') assert.equal((await askApi(path)).status, 404)
    })
  }

  for (const path of [
    '/servers',
    '/servers/',
    '/%73ervers',
    '/servers/no%20such',
    '/servers/no%2Dsuch',
    "/servers/it's",
    '/servers/a%C3%BC',
    '/v3/users?limit=1',
    '/v3/users/a@b',
    '/servers?limit=1&q=..%2f..%00',
  ]) {
    test(`SEC-54 ${path} means the same to the gateway and to the API`, async () => {
      const [here, there] = [await ask(`/api${path}`), await askApi(path)]
      assert.equal(here.status, there.status)
      const steady = (text: string) => text.replaceAll(/"(?:request_id|time)":"[^"]*"/g, '')
      assert.equal(steady(here.body), steady(there.body))
    })
  }

  test('SEC-54 an unsupported method is 405 with the supported methods', async () => {
    const answer = await browser.ask('/api/servers', { method: 'PUT', body: {} })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'GET, HEAD')
  })

  test('SEC-54 public operations and operations that issue tokens are not forwarded', async () => {
    for (const { access, path } of operations as readonly Operation[]) {
      const decision = readApiPath(`/api${path.replaceAll(/\{\w+\}/g, 'x')}`)
      const isPassed = access === 'token' && path !== '/v3/auth/tokens'
      assert.equal(decision.kind === 'found', isPassed, path)
    }
  })
})
