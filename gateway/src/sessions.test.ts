import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionEntry, SessionDto } from '@muster/contract'
import { ask } from '../../server/src/testing/client.ts'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { onEngineOfLane } from '../../server/src/testing/lanes.ts'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import { createBrowser, type Browser } from './testing/browser.ts'
import { createPeople, password } from './testing/people.ts'

const minute = 60_000
const hour = 60 * minute

onEngineOfLane('sessions', (engine) => {
  let now = Date.now()
  let platform: TestPlatform
  let people: Awaited<ReturnType<typeof createPeople>>
  before(async () => {
    platform = await startPlatform({ engine, clock: () => now, flags: ['--session-idle=2h'] })
    people = await createPeople(platform)
  })
  after(() => platform.close())

  const browse = () => createBrowser(platform.url)
  const rows = () => platform.database.db.selectFrom('sessions').selectAll().execute()
  const tokenRows = (userId: string) =>
    platform.database.db.selectFrom('tokens').where('user_id', '=', userId).selectAll().execute()
  const cookieOf = ({ cookies }: Browser) => cookies.get('__Host-muster') ?? ''
  const statusOf = async (browser: Browser) => (await browser.ask('/api/v3/auth/projects')).status

  /** Another browser with a stolen cookie. */
  function stolen(cookie: string): Browser {
    const thief = browse()
    thief.cookies.set('__Host-muster', cookie)
    return thief
  }

  async function start(name: string, projects: readonly string[] = [`${name}'s`]) {
    const person = await people.addOwner(name, projects)
    const browser = browse()
    const session = await browser.logIn(name, password)
    return { ...person, browser, session }
  }

  test('SEC-50 a link to set a first password logs in once, from an own page only', async () => {
    const { projectIds } = await people.addOwner('inviting', ['greenhouse'])
    const admin = await createAdminClient(platform)
    const { user } = await admin.get<{ user: { id: string } }>('createUser', {
      body: { user: { name: 'invited' } },
    })
    const { roles } = await admin.get<{ roles: { id: string }[] }>('listRoles', {
      query: 'name=project_viewer',
    })
    const path = { id: projectIds[0] ?? '', user_id: user.id, role_id: roles[0]?.id ?? '' }
    await admin.get('grantProjectUserRole', { path })
    const { password_link } = await admin.get<{ password_link: { secret: string } }>(
      'createPasswordLink',
      { path: { id: user.id } },
    )
    const use = (browser: Browser, headers = {}) =>
      browser.ask<{ session: SessionDto }>('/api/session/password', {
        method: 'POST',
        headers,
        body: { secret: password_link.secret, password: 'unploughed headland' },
      })
    const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    assertError(await use(browse(), elsewhere), 'ForbiddenError')
    const browser = browse()
    const { status, body } = await use(browser)
    assert.equal(status, 201)
    assert.deepEqual([body.session.user.name, body.session.scope.name], ['invited', 'greenhouse'])
    assert.equal(await statusOf(browser), 200)
    const second = browse()
    assertError(await use(second), 'UnauthorizedError')
    assert.equal(second.cookies.size, 0)
  })

  test('SEC-50 a session id from before the login is invalid after it', async () => {
    const { userId } = await people.addOwner('fixed', ['fixed'])
    const browser = browse()
    const planted = `${'A'.repeat(22)}.${'B'.repeat(43)}`
    browser.cookies.set('__Host-muster', planted)
    await browser.logIn('fixed', password)
    assert.notEqual(cookieOf(browser), planted)
    assertError(await stolen(planted).ask('/api/session'), 'UnauthorizedError')

    const first = cookieOf(browser)
    const ended = (await tokenRows(userId)).map(({ id }) => id)
    await browser.logIn('fixed', password)
    // The tokens of the first login have ended with its session.
    const left = (await tokenRows(userId)).map(({ id }) => id)
    assert.ok(ended.length > 0 && left.length > 0)
    assert.deepEqual(
      left.filter((id) => ended.includes(id)),
      [],
    )
    assert.notEqual(cookieOf(browser), first)
    assertError(await stolen(first).ask('/api/session'), 'UnauthorizedError')
  })

  test('SEC-50 a switch issues a new id and key, and invalidates the old ones', async () => {
    const { browser, session, projectIds, userId } = await start('mover', ['here', 'there'])
    assert.equal(session.scope.kind, 'project')
    const before = { cookie: cookieOf(browser), csrf: session.csrf_token }
    const there = projectIds.find((id) => id !== session.scope.id) ?? ''
    for (const project_id of [there, session.scope.id, there]) {
      const { status, body } = await browser.ask<{ session: SessionDto }>('/api/session/scope', {
        method: 'PUT',
        body: { scope: { project_id } },
      })
      assert.equal(status, 200)
      assert.equal(body.session.scope.id, project_id)
      assert.notEqual(body.session.csrf_token, before.csrf)
    }
    assert.notEqual(cookieOf(browser), before.cookie)
    const late = await stolen(before.cookie).ask('/api/v3/auth/projects')
    assertError(late, 'UnauthorizedError')
    // A concurrent request of another tab: the browser keeps its new cookie.
    assert.deepEqual(late.headers.getSetCookie(), [])
    assert.equal(await statusOf(browser), 200)
    // The login's own token and its one child: those left on the way are revoked.
    assert.equal((await tokenRows(userId)).length, 2)
    assert.equal((await rows()).filter(({ user_id }) => user_id === userId).length, 1)
  })

  test('SEC-50 a logout deletes the session and its tokens', async () => {
    const { browser, userId } = await start('leaver')
    const cookie = cookieOf(browser)
    assert.equal((await browser.ask('/api/session', { method: 'DELETE' })).status, 204)
    assert.equal(cookieOf(browser), '')
    assertError(await stolen(cookie).ask('/api/session'), 'UnauthorizedError')
    assert.deepEqual(await tokenRows(userId), [])
    assert.ok((await rows()).every(({ user_id }) => user_id !== userId))
  })

  test('SEC-51 a token can be read only with both the row and the cookie', async () => {
    const { browser, userId } = await start('sealed')
    const row = (await rows()).find(({ user_id }) => user_id === userId)
    assert.ok(row)
    const [name = '', key = ''] = cookieOf(browser).split('.')
    for (const secret of [name, key, 'mt1_']) assert.ok(!JSON.stringify(row).includes(secret))
    assert.ok(!cookieOf(browser).includes('mt1_'))
    const otherKey = `${name}.${'C'.repeat(43)}`
    assertError(await stolen(otherKey).ask('/api/session'), 'UnauthorizedError')
    const otherRow = await start('sealed too')
    const swapped = `${cookieOf(otherRow.browser).split('.')[0]}.${key}`
    assertError(await stolen(swapped).ask('/api/session'), 'UnauthorizedError')
  })

  test('a switch to a scope without a role is refused and changes nothing', async () => {
    const { browser, session } = await start('stranger')
    const foreign = await people.identities.addProject('of others')
    const change = (scope: object) =>
      browser.ask('/api/session/scope', { method: 'PUT', body: { scope } })
    assertError(await change({ project_id: foreign }), 'ForbiddenError')
    assertError(await change({ domain_id: 'default' }), 'ForbiddenError')
    assertError(await change({}), 'MissingParameterError')
    assertError(await change({ project_id: foreign, domain_id: 'default' }), 'InputParameterError')
    const { body } = await browser.ask<{ session: SessionDto }>('/api/session')
    assert.equal(body.session.scope.id, session.scope.id)
  })

  test('ends after the idle time; background requests do not extend it', async () => {
    const { browser, session, userId } = await start('idler')
    assert.equal(Date.parse(session.idle_expires_at), now + 2 * hour)
    now += hour
    assert.equal(await statusOf(browser), 200)
    now += 90 * minute
    assert.equal(await statusOf(browser), 200)
    const poll = { headers: { 'x-muster-poll': '1' } }
    now += 90 * minute
    assert.equal((await browser.ask('/api/servers', poll)).status, 200)
    now += 31 * minute
    assertError(await browser.ask('/api/servers', poll), 'UnauthorizedError')
    assert.equal(cookieOf(browser), '')
    assert.equal((await tokenRows(userId)).length > 0, true)
  })

  test('ends with its token, also while it is in use', async () => {
    const { browser, session } = await start('busy')
    const end = Date.parse(session.expires_at)
    assert.ok(end <= now + 24 * hour)
    while (now + hour < end) {
      now += hour
      assert.equal(await statusOf(browser), 200)
    }
    now = end
    assertError(await browser.ask('/api/session'), 'UnauthorizedError')
  })

  test('ends when the user is disabled', async () => {
    const { browser, userId } = await start('disabled')
    assert.equal(await statusOf(browser), 200)
    const { db, commitIdentity } = platform.database
    await commitIdentity([
      db.updateTable('users').set({ enabled: 0 }).where('id', '=', userId).compile(),
    ])
    const answer = await browser.ask('/api/servers')
    assertError(answer, 'UnauthorizedError')
    assert.match(answer.headers.getSetCookie().join(), /__Host-muster=;.*Max-Age=0/)
    assert.ok((await rows()).every(({ user_id }) => user_id !== userId))
  })

  test('are listed only for their user, who can end them', async () => {
    const { browser, userId } = await start('many')
    const other = browse()
    await other.logIn('many', password)
    const stranger = await start('another')
    const list = async (from: Browser) =>
      (await from.ask<{ sessions: SessionEntry[] }>('/api/sessions')).body.sessions
    const mine = await list(browser)
    assert.equal(mine.length, 2)
    assert.equal(mine.filter(({ current }) => current).length, 1)
    assert.ok(mine.every(({ ip, user_agent, scope }) => ip === '127.0.0.1' && user_agent && scope))
    assert.equal((await list(stranger.browser)).length, 1)

    const foreign = mine.find(({ current }) => !current)?.id ?? ''
    const end = (from: Browser, id: string) => from.ask(`/api/sessions/${id}`, { method: 'DELETE' })
    assertError(await end(stranger.browser, foreign), 'ResourceNotFoundError')
    assert.equal((await end(browser, foreign)).status, 204)
    assertError(await end(browser, foreign), 'ResourceNotFoundError')
    assertError(await other.ask('/api/session'), 'UnauthorizedError')
    assert.equal(await statusOf(browser), 200)

    const own = mine.find(({ current }) => current)?.id ?? ''
    assert.equal((await end(browser, own)).status, 204)
    assertError(await browser.ask('/api/session'), 'UnauthorizedError')
    assert.ok((await rows()).every(({ user_id }) => user_id !== userId))
  })

  test('show the user, the scope and the permissions', async () => {
    const { browser } = await start('told', ['told'])
    const { body } = await browser.ask<{ session: SessionDto }>('/api/session')
    const { user, scope, roles, projects, permissions } = body.session
    assert.equal(user.name, 'told')
    assert.deepEqual([scope.kind, scope.name, scope.domain.name], ['project', 'told', 'Default'])
    assert.deepEqual(
      roles.map(({ name }) => name),
      ['project_owner'],
    )
    assert.deepEqual(projects, [{ id: scope.id, name: 'told', domain: scope.domain }])
    const reachOf = (operation: string) =>
      permissions.find((permission) => permission.operation === operation)?.reach
    assert.equal(reachOf('listServers'), 'project')
    assert.equal(reachOf('createUser'), null)
    assert.equal(reachOf('changeOwnPassword'), 'self')
  })

  test('a login is in the audit log with the address of the browser', async () => {
    const { browser, userId } = await start('audited')
    await browser.ask('/api/session', { method: 'DELETE' })
    const wrong = { name: 'audited', password: 'not this one' }
    const answer = await browser.ask('/api/session', { method: 'POST', body: wrong })
    assertError(answer, 'UnauthorizedError')
    const events = await platform.database.db
      .selectFrom('events')
      .where('target_id', '=', userId)
      .select(['action', 'result', 'ip', 'request_id'])
      .orderBy('time')
      .execute()
    assert.deepEqual(
      events.map(({ action, result }) => `${action} ${result}`).sort(),
      ['login failure', 'login success', 'login success', 'logout success'].sort(),
    )
    assert.ok(events.every(({ ip }) => ip === '127.0.0.1'))
    assert.ok(events.some(({ request_id }) => request_id === answer.headers.get('x-request-id')))
    const { session } = await start('sourced')
    const sources = await tokenRows(session.user.id)
    assert.ok(sources.length > 0 && sources.every(({ source }) => source === 'web'))
  })

  test('an unknown cookie is no session', async () => {
    for (const cookie of ['', 'x', `${'A'.repeat(22)}.`, `${'A'.repeat(22)}.${'é'.repeat(43)}`]) {
      const headers = { cookie: `__Host-muster=${encodeURIComponent(cookie)}` }
      assertError(await ask(platform.url, '/api/session', { headers }), 'UnauthorizedError')
    }
  })
})
