import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gatewayOperations, type GatewayOperation } from '@muster/contract'
import { assertError } from '../../server/src/testing/assert-error.ts'
import {
  adminPassword,
  startPlatform,
  type TestPlatform,
} from '../../server/src/testing/start-platform.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

let platform: TestPlatform
let browser: Browser
before(async () => {
  platform = await startPlatform()
  browser = createBrowser(platform.url)
  await browser.logIn('sysadmin', adminPassword)
})
after(() => platform.close())

/** Foreign origins, some of them very similar. */
const foreign = () => {
  const { port } = new URL(platform.url)
  return [
    'null',
    '',
    'https://evil.example',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://evil-127.0.0.1:${port}`,
    `HTTP://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}, http://evil.example`,
  ]
}

const project = (name: string) => ({ project: { name } })
const create = (name: string, options: Parameters<Browser['ask']>[1]) =>
  browser.ask('/api/v3/projects', { method: 'POST', body: project(name), ...options })

describe('SEC-52 a changing request', () => {
  test('SEC-52 is accepted from the console with its token', async () => {
    assert.equal((await create('meant', {})).status, 201)
    assert.equal(
      (await create('older', { headers: { 'sec-fetch-site': 'same-origin' } })).status,
      201,
    )
  })

  test('SEC-52 is refused from other origins', async () => {
    for (const origin of foreign()) {
      assertError(await create('foreign', { headers: { origin } }), 'ForbiddenError')
    }
    for (const site of ['cross-site', 'same-site', 'none', 'nonsense']) {
      assertError(await create('site', { headers: { 'sec-fetch-site': site } }), 'ForbiddenError')
    }
  })

  test('SEC-52 is refused without the CSRF token of its session', async () => {
    const other = createBrowser(platform.url)
    await other.logIn('sysadmin', adminPassword)
    const own = browser.csrf() ?? ''
    const wrong = ['', 'nonsense', other.csrf() ?? '', own.slice(1), `${own}x`, own.toUpperCase()]
    for (const csrf of wrong) assertError(await create('csrf', { csrf }), 'ForbiddenError')
    assert.equal((await create('csrf after all', { csrf: own })).status, 201)
  })

  test('SEC-52 has no effect if it is refused', async () => {
    const { body } = await browser.ask<{ projects: { name: string }[] }>('/api/v3/projects')
    const names = new Set(body.projects.map(({ name }) => name))
    for (const name of ['foreign', 'site', 'csrf']) assert.ok(!names.has(name), name)
  })

  // Forms come from identity providers, which sign them.
  const changing = (gatewayOperations as readonly GatewayOperation[]).filter(
    ({ method, takesForm }) => method !== 'GET' && takesForm !== true,
  )
  for (const { id, method, path, example } of changing) {
    test(`SEC-52 is checked for ${id}`, async () => {
      const call = (options: Parameters<Browser['ask']>[1]) =>
        browser.ask(path.replace('{id}', 'none'), {
          method,
          ...(example !== undefined && { body: example }),
          ...options,
        })
      for (const origin of ['https://evil.example', 'null']) {
        assertError(await call({ headers: { origin } }), 'ForbiddenError')
      }
      const site = { 'sec-fetch-site': 'cross-site' }
      assertError(await call({ headers: site }), 'ForbiddenError')
      const isLogin = id === 'createSession' || id === 'createFirstSession'
      if (!isLogin) assertError(await call({ csrf: 'none' }), 'ForbiddenError')
      assert.equal((await browser.ask('/api/session')).status, 200)
    })
  }

  test('SEC-52 a form cannot log a user in', async () => {
    const form = { 'content-type': 'text/plain' }
    const body = { name: 'sysadmin', password: adminPassword }
    const fresh = createBrowser(platform.url)
    const answer = await fresh.ask('/api/session', { method: 'POST', body, headers: form })
    assertError(answer, 'UnsupportedMediaTypeError')
    assert.equal(fresh.cookies.size, 0)
  })
})

describe('SEC-52 a reading request', () => {
  test('SEC-52 is accepted from the console and from the address bar', async () => {
    for (const path of ['/api/servers', '/api/session', '/api/sessions', '/api/login']) {
      for (const [site, status] of Object.entries({
        'same-origin': 200,
        none: 200,
        'cross-site': 403,
        'same-site': 403,
      })) {
        const answer = await browser.ask(path, { headers: { 'sec-fetch-site': site } })
        assert.equal(answer.status, status, `${path} ${site}`)
      }
    }
  })

  test('SEC-52 is not shared with other origins', async () => {
    for (const origin of foreign()) {
      for (const method of ['GET', 'OPTIONS']) {
        const headers = { origin, 'access-control-request-method': 'PUT' }
        const answer = await browser.ask('/api/servers', { method, headers })
        const granted = [...answer.headers.keys()].filter((name) =>
          name.startsWith('access-control'),
        )
        assert.deepEqual(granted, [])
      }
    }
  })
})
