import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  gatewayOperations,
  operations,
  type GatewayOperation,
  type LoginOptions,
  type Operation,
} from '@muster/contract'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import { createBrowser } from './testing/browser.ts'

/** The routes that need no session. */
const open = new Set([
  'GET /api/login',
  'POST /api/session',
  'POST /api/session/password',
  'GET /api/session/providers/{id}',
  'GET /api/session/providers/{id}/callback',
  'POST /api/session/providers/{id}/logout',
  'GET /api/session/cas/{id}',
  'GET /api/session/cas',
])

type Listed = Pick<Operation, 'method' | 'path' | 'example'>
const nameOf = ({ method, path }: Listed) => `${method} ${path}`

describe('SEC-12 without a session', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform()
  })
  after(() => platform.close())

  const ask = ({ method, path, example }: Listed) =>
    createBrowser(platform.url).ask(path.replaceAll(/\{\w+\}/g, 'none'), {
      method,
      ...(example !== undefined && { body: example }),
    })

  test('SEC-12 only the login routes are open', () => {
    const all: readonly GatewayOperation[] = gatewayOperations
    const byAccess = Map.groupBy(all, ({ access }) => access)
    assert.deepEqual(new Set(byAccess.get('public')?.map(nameOf)), open)
  })

  for (const operation of gatewayOperations as readonly GatewayOperation[]) {
    if (open.has(nameOf(operation))) continue
    test(`SEC-12 ${nameOf(operation)} is closed`, async () => {
      assertError(await ask(operation), 'UnauthorizedError')
    })
  }

  for (const operation of operations as readonly Operation[]) {
    const path = `/api${operation.path}`
    test(`SEC-12 ${operation.method} ${path} is closed`, async () => {
      const { status } = await ask({ ...operation, path })
      const isPassed = operation.access === 'token' && operation.path !== '/v3/auth/tokens'
      assert.equal(status, isPassed ? 401 : 404)
    })
  }
})

describe('the login page', () => {
  test('lists the demo users, with passwords that work', async (t) => {
    const platform = await startPlatform({ flags: ['--demo', '--demo-servers=20'] })
    t.after(() => platform.close())
    const { body } = await createBrowser(platform.url).ask<LoginOptions>('/api/login')
    assert.ok(body.demo && body.demo.people.length >= 4)
    for (const { name, password, domain, project } of body.demo.people) {
      const session = await createBrowser(platform.url).logIn(name, password, { domain })
      assert.equal(session.scope.kind, project === null ? 'domain' : 'project', name)
      assert.equal(session.scope.name, project ?? domain)
    }
  })

  test('lists no users without a demo', async (t) => {
    const platform = await startPlatform()
    t.after(() => platform.close())
    const { body } = await createBrowser(platform.url).ask<LoginOptions>('/api/login')
    assert.deepEqual(body, { platform: 'muster', version: '0.1.0', demo: null, providers: [] })
  })
})
