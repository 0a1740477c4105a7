import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { noLoginRules, type LoginRulesRequest, type SessionDto } from '@muster/contract'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { onEngineOfLane } from '../../server/src/testing/lanes.ts'
import {
  elsewhere,
  office,
  officeNetwork,
  startLoginRuleWorld,
  userPassword,
  type LoginRuleWorld,
} from '../../server/src/testing/login-rule-world.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

const minute = 60_000
const hour = 60 * minute

onEngineOfLane('browser sessions and the rules of a domain', (engine) => {
  const lifetime = suiteLifetime()
  let world: LoginRuleWorld
  before(async () => {
    world = await startLoginRuleWorld(lifetime, engine)
    await world.addUser('ada')
    await world.addUser('guard', { break_glass: 1 })
  })
  beforeEach(async () => {
    world.time.now = world.start
    await set(noLoginRules)
  })

  async function set(rules: LoginRulesRequest) {
    const answer = await world.setRules(rules)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.login_rules
  }
  const at = (ip = office) => ({ headers: world.from(ip) })
  async function logIn(name = 'ada', ip = office) {
    const browser = createBrowser(world.first.url)
    const body = { name, password: userPassword, domain: 'acme' }
    const answer = await browser.ask<{ session: SessionDto }>('/api/session', {
      method: 'POST',
      body,
      ...at(ip),
    })
    return { browser, answer, session: answer.body.session }
  }
  const statusOf = async (browser: Browser, ip = office, path = '/api/v3/auth/projects') =>
    (await browser.ask(path, at(ip))).status

  for (const moment of ['before', 'after'] as const) {
    test(`the lifetime ends a session that began ${moment} the rule, however busy`, async () => {
      if (moment === 'after') await set({ session_lifetime: 3_600 })
      const { browser, session } = await logIn()
      world.time.now += 30 * minute
      assert.equal(await statusOf(browser), 200)
      if (moment === 'before') await set({ session_lifetime: 3_600 })
      else assert.equal(Date.parse(session.expires_at), world.start + hour)
      const { body } = await browser.ask<{ session: SessionDto }>('/api/session', at())
      assert.equal(Date.parse(body.session.expires_at), world.start + hour)
      world.time.now = world.start + hour - 1
      assert.equal(await statusOf(browser), 200)
      world.time.now += 1
      assert.equal(await statusOf(browser), 401)
    })

    test(`the idle time ends a session that began ${moment} the rule`, async () => {
      if (moment === 'after') await set({ session_idle: 600 })
      const { browser, session } = await logIn()
      if (moment === 'before') await set({ session_idle: 600 })
      else assert.equal(Date.parse(session.idle_expires_at), world.start + 10 * minute)
      for (let turn = 0; turn < 3; turn += 1) {
        world.time.now += 10 * minute - 1
        assert.equal(await statusOf(browser), 200)
      }
      world.time.now += 10 * minute
      assert.equal(await statusOf(browser), 401)
    })
  }

  test('the time of a rule is never longer than that of the server', async () => {
    await set({ session_idle: 24 * 3_600, session_lifetime: 30 * 86_400 })
    const { browser, session } = await logIn()
    assert.equal(Date.parse(session.idle_expires_at), world.start + 8 * hour)
    assert.ok(Date.parse(session.expires_at) <= world.start + 24 * hour)
    world.time.now += 8 * hour
    assert.equal(await statusOf(browser), 401)
  })

  test('the rules about sessions do not concern tokens', async () => {
    await set({ session_idle: 300, session_lifetime: 300 })
    const answer = await world.logIn({
      methods: ['password'],
      password: { user: { name: 'ada', domain: { id: world.domain }, password: userPassword } },
    })
    world.time.now += hour
    assert.equal(await world.use(answer.headers.get('x-subject-token') ?? ''), 200)
  })

  test('the lifetime of tokens ends sessions as well', async () => {
    const { browser } = await logIn()
    await set({ token_lifetime: 600 })
    world.time.now += 10 * minute
    assert.equal(await statusOf(browser), 401)
  })

  describe('networks', () => {
    for (const path of ['/api/v3/auth/projects', '/api/session', '/api/sessions']) {
      test(`end a session that is used from elsewhere, at ${path}`, async () => {
        const { browser } = await logIn()
        assert.equal(await statusOf(browser, elsewhere, path), 200)
        await set({ networks: [officeNetwork] })
        assert.equal(await statusOf(browser, office, path), 200)
        assert.equal(await statusOf(browser, elsewhere, path), 401)
        assert.equal(await statusOf(browser, office, path), 401)
      })
    }

    test('refuse a login from elsewhere, except of break-glass users', async () => {
      await set({ networks: [officeNetwork] })
      const { browser, answer } = await logIn('ada', elsewhere)
      assertError(answer, 'UnauthorizedError')
      assert.equal(browser.cookies.size, 0)
      const guard = await logIn('guard', elsewhere)
      assert.equal(guard.answer.status, 201)
      assert.equal(await statusOf(guard.browser, elsewhere), 200)
    })

    test('do not prevent a logout', async () => {
      const { browser } = await logIn()
      await set({ networks: [officeNetwork] })
      const answer = await browser.ask('/api/session', { method: 'DELETE', ...at(elsewhere) })
      assert.equal(answer.status, 204)
      assert.equal(await statusOf(browser), 401)
    })
  })

  test('the list of sessions shows when they end, and none that has ended', async () => {
    const first = await logIn()
    world.time.now += 30 * minute
    const second = await logIn()
    await set({ session_lifetime: 3_600 })
    const list = async () =>
      (
        await second.browser.ask<{ sessions: { expires_at: string }[] }>('/api/sessions', at())
      ).body.sessions.map(({ expires_at }) => Date.parse(expires_at) - world.start)
    const ends = await list()
    assert.ok(ends.includes(hour) && ends.includes(hour + 30 * minute))
    assert.equal((await set({ session_lifetime: 1_800, dry_run: true })).ended_sessions >= 1, true)
    world.time.now = world.start + hour
    assert.deepEqual(
      (await list()).filter((end) => end <= hour),
      [],
    )
    assert.equal(await statusOf(first.browser), 401)
  })
})
