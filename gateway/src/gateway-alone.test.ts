import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { SessionDto } from '@muster/contract'
import { readConfig } from '../../server/src/config/read-config.ts'
import { ask } from '../../server/src/testing/client.ts'
import { onEngineOfLane } from '../../server/src/testing/lanes.ts'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import { createBrowser } from './testing/browser.ts'
import { createPeople, password } from './testing/people.ts'

/** A gateway in front of another process; its sessions are its own, or with what they share. */
async function startGateway(t: TestContext, api: TestPlatform, isShared: boolean) {
  const gateway = await startPlatform({
    flags: ['--roles=gateway', `--auth-url=${api.url}`, `--base-url=${api.url}`],
    ...(isShared && { beside: api }),
  })
  t.after(() => gateway.close())
  return gateway
}

async function startApi(
  t: TestContext,
  engine: 'sqlite' | 'postgres',
  flags: readonly string[] = [],
) {
  const api = await startPlatform({
    engine,
    flags: ['--roles=identity,platform', '--trusted-proxies=127.0.0.1', ...flags],
  })
  t.after(() => api.close())
  return api
}

onEngineOfLane('a gateway alone', (engine) => {
  const isShared = engine === 'postgres'

  test('logs in, reads, changes, exports and logs out through the API', async (t) => {
    const api = await startApi(t, engine)
    const people = await createPeople(api)
    const { projectIds, userId } = await people.addOwner('remote', ['far', 'farther'])
    const present = Array.from({ length: 300 }, () => minimalServer(projectIds[0] ?? ''))
    await api.inventory.recordServers({ present, gone: [] })
    const gateway = await startGateway(t, api, isShared)
    const browser = createBrowser(gateway.url)

    await browser.logIn('remote', password, { scope: { project_id: projectIds[0] } })
    const page = await browser.ask<{ total: number; servers: { id: string }[] }>(
      '/api/servers?limit=7',
      { headers: { 'x-forwarded-for': '198.51.100.7' } },
    )
    assert.deepEqual([page.body.total, page.body.servers.length], [300, 7])
    assert.match(page.headers.get('link') ?? '', /^<\/api\/servers\?/)
    const tagged = await browser.ask(`/api/servers/${page.body.servers[0]?.id}/metadata`, {
      method: 'POST',
      body: { metadata: { seen: 'yes' } },
    })
    assert.equal(tagged.status, 200)
    const exported = await browser.ask('/api/servers?format=csv&field=id')
    assert.equal(exported.text.trim().split('\n').length, 301)
    const moved = await browser.ask<{ session: SessionDto }>('/api/session/scope', {
      method: 'PUT',
      body: { scope: { project_id: projectIds[1] } },
    })
    assert.equal(moved.body.session.scope.name, 'farther')
    assert.equal((await browser.ask('/api/session', { method: 'DELETE' })).status, 204)

    const { db } = api.database
    const tokens = await db.selectFrom('tokens').where('user_id', '=', userId).selectAll().execute()
    assert.deepEqual(tokens, [])
    const events = await db
      .selectFrom('events')
      .where('user_id', '=', userId)
      .select(['action', 'ip'])
      .execute()
    assert.ok(events.some(({ action }) => action === 'logout'))
    assert.ok(events.every(({ ip }) => ip === '127.0.0.1'))
  })

  test('serves no API of its own and creates no users', async (t) => {
    const api = await startApi(t, engine)
    const gateway = await startGateway(t, api, isShared)
    for (const path of ['/servers', '/v3/users', '/v3/auth/tokens', '/events']) {
      assert.equal((await ask(gateway.url, path)).status, 404, path)
    }
    assert.equal((await ask(gateway.url, '/readyz')).status, 200)
    assert.equal((await ask(api.url, '/api/login')).status, 404)
    assert.equal((await ask(api.url, '/console/')).status, 404)
    assert.equal(gateway.newAdminPassword, undefined)
    if (isShared) return
    const users = await gateway.database.db.selectFrom('users').selectAll().execute()
    assert.deepEqual(users, [])
  })

  test('reports that the API does not respond', async (t) => {
    const api = await startApi(t, engine)
    const people = await createPeople(api)
    await people.addOwner('cut off', ['one'])
    const gateway = await startGateway(t, api, isShared)
    const browser = createBrowser(gateway.url)
    await browser.logIn('cut off', password)
    const away = await startGateway(t, { ...api, url: 'http://127.0.0.1:9' }, isShared)
    const other = createBrowser(away.url)
    const body = { name: 'cut off', password }
    assertError(await other.ask('/api/session', { method: 'POST', body }), 'BadGateway')
  })

  test('sends an operation to the address of the role that serves it', async (t) => {
    const api = await startApi(t, engine)
    const people = await createPeople(api)
    await people.addOwner('divided', ['one'])
    const gateway = await startPlatform({
      flags: ['--roles=gateway', `--auth-url=${api.url}`, '--base-url=http://127.0.0.1:9'],
      ...(isShared && { beside: api }),
    })
    t.after(() => gateway.close())
    const browser = createBrowser(gateway.url)
    await browser.logIn('divided', password)
    assert.equal((await browser.ask('/api/v3/auth/projects')).status, 200)
    assertError(await browser.ask('/api/servers'), 'BadGateway')
  })
})

test('failed logins are counted by the address of the browser', async (t) => {
  const api = await startApi(t, 'sqlite', ['--login-failures-per-minute=3'])
  const gateway = await startPlatform({
    flags: [
      '--roles=gateway',
      `--auth-url=${api.url}`,
      `--base-url=${api.url}`,
      '--trusted-proxies=127.0.0.1',
    ],
  })
  t.after(() => gateway.close())
  const fail = async (ip: string) => {
    const headers = { 'x-forwarded-for': ip }
    const body = { name: 'nobody', password: 'nothing' }
    return await createBrowser(gateway.url).ask('/api/session', { method: 'POST', body, headers })
  }
  for (let tries = 0; tries < 3; tries += 1) {
    assertError(await fail('198.51.100.7'), 'UnauthorizedError')
  }
  assertError(await fail('198.51.100.7'), 'TooManyRequests')
  assertError(await fail('198.51.100.8'), 'UnauthorizedError')
})

describe('a gateway without the address of the API', () => {
  const read = (flags: readonly string[]) => () => readConfig(flags, {})
  test('reports the missing setting', () => {
    assert.throws(read(['--roles=gateway']), /--auth-url and --base-url/)
    assert.throws(
      read(['--roles=gateway', '--auth-url=http://a']),
      /--roles gateway needs --base-url/,
    )
    assert.throws(read(['--roles=gateway,platform']), /needs --auth-url/)
    const whole = ['--roles=gateway', '--auth-url=http://a', '--base-url=http://a']
    assert.throws(read([...whole, '--demo']), /--demo/)
    assert.doesNotThrow(read(whole))
  })
})
