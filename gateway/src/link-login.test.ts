import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { startFakeCas } from '../../server/src/testing/fake-cas.ts'
import { startFakeOidc, type FakeOidc } from '../../server/src/testing/fake-oidc.ts'
import { startOidcPlatform, type OidcPlatform } from '../../server/src/testing/oidc-platform.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }
const password = 'unploughed headland'
const done = '/console/me/logins?linked=yes'
const failed = '/console/me/logins?linked=no'
const pendingCookie = '__Host-muster-login'

describe('linking a login in the browser', () => {
  const lifetime = suiteLifetime()
  let platform: OidcPlatform
  let oidc: FakeOidc
  let path: string
  before(async () => {
    platform = await startOidcPlatform(lifetime, 'sqlite')
    oidc = await startFakeOidc(lifetime)
    path = `/api/session/providers/${(await platform.addOidc(oidc.issuer)).id}`
  })

  let count = 0
  /** A browser in which a new user is logged in. */
  async function logIn(): Promise<{ browser: Browser; id: string; name: string }> {
    const name = `user-${(count += 1)}`
    const user = { name, password, domain_id: 'default' }
    const { status, text } = await platform.call('POST', '/v3/users', { user })
    assert.equal(status, 201, text)
    const browser = createBrowser(platform.url)
    const session = await browser.logIn(name, password)
    return { browser, id: session.user.id, name }
  }
  const begin = (browser: Browser, given = password, at = path) =>
    browser.ask<{ login_page: string }>(`${at}/link`, { method: 'POST', body: { password: given } })
  /** The answer of the provider to a browser that has begun. */
  async function leave(browser: Browser, sub: string): Promise<URL> {
    const { status, body, text } = await begin(browser)
    assert.equal(status, 200, text)
    return oidc.answerTo(body.login_page, { sub, preferred_username: sub })
  }
  async function comeBack(to: Browser, { pathname, search }: URL): Promise<string> {
    return (await to.ask(pathname + search, crossSite)).headers.get('location') ?? ''
  }
  const links = async () =>
    (await platform.database.db.selectFrom('subjects').selectAll().execute()).map(
      ({ subject, user_id }) => [subject, user_id],
    )
  const countTokens = async (userId: string) =>
    (
      await platform.database.db
        .selectFrom('tokens')
        .where('user_id', '=', userId)
        .selectAll()
        .execute()
    ).length

  test('leads to the provider and back to the list, and keeps the session', async () => {
    const { browser, id } = await logIn()
    const session = browser.cookies.get('__Host-muster')
    const tokens = await countTokens(id)
    assert.equal(await comeBack(browser, await leave(browser, 'one')), done)
    assert.deepEqual(await links(), [['one', id]])
    assert.equal(browser.cookies.get('__Host-muster'), session)
    assert.ok(!browser.cookies.has(pendingCookie))
    assert.equal((await browser.ask('/api/session')).status, 200)
    assert.equal(await countTokens(id), tokens, 'a token stayed')

    const later = createBrowser(platform.url)
    const away = (await later.ask(path)).headers.get('location') ?? ''
    assert.equal(await comeBack(later, oidc.answerTo(away, { sub: 'one' })), '/console/')
    const { body } = await later.ask<{ session: { user: { id: string } } }>('/api/session')
    assert.equal(body.session.user.id, id)
  })

  test('takes the password, the own page and a provider whose answers are bound', async () => {
    const { browser } = await logIn()
    const before = oidc.requests.length
    assertError(await begin(browser, 'wrong'), 'UnauthorizedError')
    const body = { password }
    const forged = await browser.ask(`${path}/link`, { method: 'POST', body, csrf: 'x' })
    assertError(forged, 'ForbiddenError')
    const foreign = await browser.ask(`${path}/link`, { method: 'POST', body, ...crossSite })
    assertError(foreign, 'ForbiddenError')
    const stranger = createBrowser(platform.url)
    const anonymous = await stranger.ask(`${path}/link`, { method: 'POST', body })
    assertError(anonymous, 'UnauthorizedError')
    assert.ok(!browser.cookies.has(pendingCookie))

    const cas = await startFakeCas(lifetime)
    const { id } = await platform.addProvider(cas)
    for (const provider of [id, 'none']) {
      const answer = await begin(browser, password, `/api/session/providers/${provider}`)
      assertError(answer, 'ResourceNotFoundError')
    }
    assert.ok(oidc.requests.length <= before + 1, 'more than a discovery')
  })

  test('an answer that is not to the request of this session links nothing', async () => {
    /** Each changes the good answer, or who brings it. */
    const attacks: Record<string, (good: URL, browser: Browser) => Promise<Browser> | void> = {
      'the answer of an attacker (CSRF)': (good) => good.searchParams.set('state', 'x'.repeat(43)),
      'an answer without a code': (good) => good.searchParams.delete('code'),
      'a refusal at the provider': (good) => good.searchParams.set('error', 'access_denied'),
      'an answer of another issuer': (good) => good.searchParams.set('iss', 'https://other.test'),
      'another user who logged in meanwhile': async (_, browser) => {
        const { name } = await logIn()
        await browser.logIn(name, password)
        return browser
      },
      'the same user in another session': async (_, browser) => {
        const { browser: other } = await logIn()
        const pending = browser.cookies.get(pendingCookie) ?? ''
        other.cookies.set(pendingCookie, pending)
        return other
      },
      'nobody any more': async (_, browser) => {
        await browser.ask('/api/session', { method: 'DELETE' })
        return browser
      },
    }
    let victim = await logIn()
    for (const [name, attack] of Object.entries(attacks)) {
      const good = await leave(victim.browser, `victim of ${name}`)
      const session = victim.browser.cookies.get('__Host-muster')
      const bringer = (await attack(good, victim.browser)) ?? victim.browser
      const before = await links()
      assert.equal(await comeBack(bringer, good), failed, name)
      assert.deepEqual(await links(), before, name)
      assert.ok(!before.some(([, user]) => user === victim.id))
      if (victim.browser.cookies.get('__Host-muster') !== session) victim = await logIn()
    }
  })

  test('an answer to a login links nothing, and one to a link logs nobody in', async () => {
    const { browser, id } = await logIn()
    const away = (await browser.ask(path)).headers.get('location') ?? ''
    assert.equal(await comeBack(browser, oidc.answerTo(away, { sub: 'two' })), '/console/')
    assert.ok(!(await links()).some(([, user]) => user === id))

    const { browser: another } = await logIn()
    const good = await leave(another, 'three')
    const thief = createBrowser(platform.url)
    thief.cookies.set(pendingCookie, another.cookies.get(pendingCookie) ?? '')
    assert.equal(await comeBack(thief, good), failed)
    assert.deepEqual([...thief.cookies.keys()], [])
    assert.ok(!(await links()).some(([subject]) => subject === 'three'))
  })

  test('a subject of somebody else is not linked, and the attempt ends', async () => {
    const { browser, id } = await logIn()
    const owner = await logIn()
    assert.equal(await comeBack(owner.browser, await leave(owner.browser, 'four')), done)
    const tokens = await countTokens(id)
    const answer = await leave(browser, 'four')
    assert.equal(await comeBack(browser, answer), failed)
    assert.ok(!(await links()).some(([, user]) => user === id))
    assert.equal(await countTokens(id), tokens, 'a token stayed')
    assert.match(await comeBack(browser, answer), /\/console\/login\?why=provider/)
  })
})
