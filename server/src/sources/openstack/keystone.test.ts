import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpClient } from '../shared/http-client.ts'
import { createKeystone } from './keystone.ts'
import { readOpenStackSettings } from './openstack-settings.ts'

const { signal } = new AbortController()
const own = { key: 'own', request: { project: { id: 'p1' } } }

/** A Keystone whose tokens live for 100 seconds. Fields of the token and its own state can be changed. */
function startKeystone(options: Readonly<Record<string, unknown>> = {}) {
  const state = {
    now: 0,
    status: 201,
    token: { project: { id: 'p1', name: 'web' } } as object,
    revoked: new Set<string>(),
    projects: [{ id: 'p1', enabled: true }],
    failures: 0,
    logins: 0,
  }
  const jsonOf = (status: number, body: object, headers = {}) => ({
    status,
    headers,
    body: Buffer.from(JSON.stringify(body)),
  })
  const http: HttpClient = {
    async send({ url, headers = {} }) {
      await new Promise(setImmediate)
      if (url.pathname === '/v3/auth/tokens') {
        state.logins += 1
        const times = { issued_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T00:01:40Z' }
        const token = { ...times, ...state.token }
        return jsonOf(state.status, { token }, { 'x-subject-token': `t${state.logins}` })
      }
      state.failures -= 1
      if (state.failures >= 0) return jsonOf(503, {})
      if (state.revoked.has(headers['x-auth-token'] ?? '')) return jsonOf(401, {})
      return jsonOf(200, { projects: state.projects })
    },
    close() {},
  }
  const settings = readOpenStackSettings({
    address: 'http://keystone.example:5000',
    credentials: { username: 'muster', password: 'secret' },
    options,
  })
  const keystone = createKeystone(http, settings, () => state.now)
  const tokens = (count: number) =>
    Promise.all(Array.from({ length: count }, () => keystone.getToken(own, signal)))
  return { state, keystone, tokens }
}

describe('Keystone', () => {
  test('is asked for one token by all callers, also after it expired', async () => {
    const { state, tokens } = startKeystone()
    await tokens(3)
    assert.equal(state.logins, 1)
    state.now = 81_000
    const renewed = await tokens(3)
    assert.deepEqual(
      renewed.map(({ value }) => value),
      ['t2', 't2', 't2'],
    )
  })

  test('refuses wrong credentials once for all callers', async () => {
    const { state, tokens, keystone } = startKeystone()
    state.status = 401
    const results = await Promise.allSettled([tokens(1), tokens(1), tokens(1)])
    assert.deepEqual([...new Set(results.map(({ status }) => status))], ['rejected'])
    assert.equal(state.logins, 1, 'each attempt brings the user closer to being locked')
    state.status = 201
    await keystone.getToken(own, signal)
    assert.equal(state.logins, 2)
  })

  test('is not left waiting for by a caller that is aborted, and the others get their token', async () => {
    const { keystone, tokens } = startKeystone()
    const aborted = keystone.getToken(own, AbortSignal.abort())
    const [, [token]] = await Promise.all([assert.rejects(aborted, { kind: 'timeout' }), tokens(1)])
    assert.equal(token?.value, 't1')
  })

  test('lists projects again after a short failure, and with another token after a 401', async () => {
    const { state, keystone } = startKeystone()
    state.failures = 1
    assert.deepEqual(
      (await keystone.findScopes(signal)).map(({ key }) => key),
      ['p1'],
    )
    state.revoked.add('t1')
    await keystone.findScopes(signal)
    assert.equal(state.logins, 2)
    state.revoked.add('t2').add('t3')
    await assert.rejects(keystone.findScopes(signal), { kind: 'credentials' })
  })

  test('issues another token for a project that was away', async () => {
    const { state, keystone } = startKeystone()
    const [scope = own] = await keystone.findScopes(signal)
    await keystone.getToken(scope, signal)
    state.projects = [{ id: 'p2', enabled: true }]
    await keystone.findScopes(signal)
    await keystone.getToken(scope, signal)
    assert.equal(state.logins, 3)
  })

  test('must name the project of a token', async () => {
    const { state, tokens } = startKeystone()
    state.token = {}
    await assert.rejects(tokens(1), {
      kind: 'invalid-response',
      message: 'keystone.example:5000 sent a token without a project.',
    })
  })
})
