import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { LoginOptions, SessionDto } from '@muster/contract'
import { startFakeOidc, type FakeOidc } from '../../server/src/testing/fake-oidc.ts'
import { startOidcPlatform, type OidcPlatform } from '../../server/src/testing/oidc-platform.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }
const failed = '/console/login?why=provider'

describe('login at an OpenID provider', () => {
  const lifetime = suiteLifetime()

  let platform: OidcPlatform
  let oidc: FakeOidc
  let id: string
  let path: string
  before(async () => {
    platform = await startOidcPlatform(lifetime, 'sqlite')
    oidc = await startFakeOidc(lifetime)
    const project_id = await platform.identities.addProject('lab')
    const role_id = await platform.roleId('project_owner')
    const mapping = [{ attribute: 'groups', value: 'staff', role_id, project_id }]
    id = (await platform.addOidc(oidc.issuer, { name: 'acme', mapping })).id
    path = `/api/session/providers/${id}`
  })

  const ada = {
    sub: 'ada-1815',
    preferred_username: 'ada',
    name: 'Ada Lovelace',
    groups: ['staff'],
  }
  const grace = { sub: 'grace-1906', preferred_username: 'grace' }

  /** The address of the provider to which a browser is sent. */
  async function leave(from: Browser, next = ''): Promise<string> {
    const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`
    const { status, headers } = await from.ask(path + query)
    assert.equal(status, 302)
    return headers.get('location') ?? ''
  }
  /** Comes back from the provider. Returns the page to which Muster redirects. */
  async function comeBack(to: Browser, address: string): Promise<string> {
    const { pathname, search } = new URL(address)
    const { headers } = await to.ask(pathname + search, crossSite)
    return headers.get('location') ?? ''
  }
  const rows = (table: 'sessions' | 'subjects') =>
    platform.database.db.selectFrom(table).selectAll().execute()

  test('leads to the provider and back to the page, with the roles of the groups', async () => {
    const browser = createBrowser(platform.url)
    const { body } = await browser.ask<LoginOptions>('/api/login')
    assert.deepEqual(body.providers, [{ id, name: 'acme' }])

    const address = await leave(browser, '/console/servers?q=status:running')
    const { searchParams: asked } = new URL(address)
    assert.equal(asked.get('redirect_uri'), `${platform.url}${path}/callback`)
    assert.deepEqual(
      [asked.get('response_type'), asked.get('code_challenge_method')],
      ['code', 'S256'],
    )
    const back = oidc.answerTo(address, ada)
    assert.equal(await comeBack(browser, back.href), '/console/servers?q=status:running')

    const { session } = (await browser.ask<{ session: SessionDto }>('/api/session')).body
    assert.deepEqual(
      [session.user.name, session.user.displayname, session.scope.name],
      ['ada', 'Ada Lovelace', 'lab'],
    )
    assert.ok(!browser.cookies.has('__Host-muster-login'))
  })

  test('is offered to the people of its domain, whose name may be typed in any way', async () => {
    const browser = createBrowser(platform.url)
    const { body } = await platform.call<{ domain: { id: string } }>('POST', '/v3/domains', {
      domain: { name: 'Branch' },
    })
    const elsewhere = { name: 'branch login', domain_id: body.domain.id }
    const { id: branch } = await platform.addOidc('https://branch.example.org', elsewhere)
    const disabled = { name: 'disabled', domain_id: body.domain.id, enabled: false }
    await platform.addOidc('https://disabled.example.org', disabled)
    await platform.call('POST', '/v3/domains', { domain: { name: 'Empty' } })
    const offered = async (domain: string) => {
      const path = `/api/login?${new URLSearchParams({ domain }).toString()}`
      return (await browser.ask<LoginOptions>(path)).body.providers.map((provider) => provider.id)
    }
    for (const name of ['Branch', 'branch', ' BRANCH ', 'ｂｒａｎｃｈ']) {
      assert.deepEqual(await offered(name), [branch], name)
    }
    assert.deepEqual(await offered('Default'), [id])
    for (const name of ['Empty', 'nowhere', '*', '%', body.domain.id]) {
      assert.deepEqual(await offered(name), [], name)
    }
    const { body: all } = await browser.ask<LoginOptions>('/api/login')
    assert.deepEqual(new Set(all.providers.map((provider) => provider.id)), new Set([id, branch]))
    await platform.changeProvider(branch, { enabled: false })
  })

  test('begins anew each time: state, nonce and challenge are never repeated', async () => {
    const browser = createBrowser(platform.url)
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = await Promise.all([leave(browser), leave(browser)])
      const [one, other] = values.map((address) => new URL(address).searchParams.get(name))
      assert.ok(one && other && one.length >= 32 && one !== other, name)
    }
  })

  test('an answer that is not to the request of this browser logs nobody in', async () => {
    const other = 'https://other.example.org'
    const { id: otherId } = await platform.addOidc(other)
    const before = await rows('sessions')

    /** Each changes the good answer, or who brings it. */
    const attacks: Record<string, (good: URL, browser: Browser) => Promise<Browser> | void> = {
      'without state': (good) => good.searchParams.delete('state'),
      'with the state of another login': (good) => good.searchParams.set('state', 'x'.repeat(43)),
      'with two states': (good) => good.searchParams.append('state', 'x'),
      'without a code': (good) => good.searchParams.delete('code'),
      'with two codes': (good) => good.searchParams.append('code', 'x'),
      'with an error beside the code': (good) => good.searchParams.set('error', 'access_denied'),
      'of another issuer': (good) => good.searchParams.set('iss', other),
      'without an issuer': (good) => good.searchParams.delete('iss'),
      'with two issuers': (good) => good.searchParams.append('iss', other),
      'at the address of another provider': (good) => {
        good.pathname = good.pathname.replace(/providers\/[^/]+/, `providers/${otherId}`)
      },
      'in a browser that began nothing (login CSRF)': async () => createBrowser(platform.url),
      'in a browser that began another login': async () => {
        const victim = createBrowser(platform.url)
        await leave(victim)
        return victim
      },
    }
    for (const [name, attack] of Object.entries(attacks)) {
      const browser = createBrowser(platform.url)
      const good = oidc.answerTo(await leave(browser), grace)
      const bringer = (await attack(good, browser)) ?? browser
      assert.equal(await comeBack(bringer, good.href), failed, name)
      assert.deepEqual([...bringer.cookies.keys()], [], name)
    }
    assert.deepEqual(await rows('sessions'), before)
    const subjects = (await rows('subjects')).map(({ subject }) => subject)
    assert.ok(!subjects.includes('grace-1906'), 'nobody was provisioned')
  })

  test('an answer works once, and a refusal at the provider logs nobody in', async () => {
    const before = (await rows('sessions')).length
    const browser = createBrowser(platform.url)
    const answer = oidc.answerTo(await leave(browser), ada).href
    const pending = browser.cookies.get('__Host-muster-login') ?? ''
    assert.equal(await comeBack(browser, answer), '/console/')
    const thief = createBrowser(platform.url)
    thief.cookies.set('__Host-muster-login', pending)
    assert.equal(await comeBack(thief, answer), failed)
    const { state } = Object.fromEntries(new URL(await leave(thief)).searchParams)
    const refusal = new URL(answer)
    refusal.search = new URLSearchParams({ error: 'access_denied', state: state ?? '' }).toString()
    assert.equal(await comeBack(thief, refusal.href), failed)
    assert.equal((await rows('sessions')).length, before + 1)
  })

  test('replaces the session of the browser, whose cookie an attacker may know', async () => {
    const browser = createBrowser(platform.url)
    const logIn = async () => await comeBack(browser, oidc.answerTo(await leave(browser), ada).href)
    await logIn()
    const before = browser.cookies.get('__Host-muster') ?? ''
    await logIn()
    assert.notEqual(browser.cookies.get('__Host-muster'), before)
    const attacker = createBrowser(platform.url)
    attacker.cookies.set('__Host-muster', before)
    assert.equal((await attacker.ask('/api/session')).status, 401)
  })

  test('logging out ends the session at once, however slow the provider is', async (t) => {
    const browser = createBrowser(platform.url)
    await comeBack(browser, oidc.answerTo(await leave(browser), ada).href)
    await browser.ask('/api/session')
    const thief = createBrowser(platform.url)
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
    // What was discovered is known for each certificate authority.
    await platform.changeProvider(id, { options: { ca: `${testAuthority}\n` } })
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: isDown, resolve: stop } = Promise.withResolvers<void>()
    t.after(() => (oidc.state.script = undefined))
    oidc.state.script = async (_, response) => {
      ask()
      await isDown
      response.writeHead(503).end()
    }
    const loggedOut = browser.ask('/api/session', { method: 'DELETE' })
    await isAsked
    assert.equal((await thief.ask('/api/session')).status, 401)
    stop()
    assert.equal((await loggedOut).status, 204)
    assert.deepEqual([...browser.cookies.keys()], [])
  })

  test('SEC-55 redirects only to pages of the console', async () => {
    for (const next of ['https://evil.example', '//evil.example/console/', '/console//evil']) {
      const browser = createBrowser(platform.url)
      const answer = oidc.answerTo(await leave(browser, next), ada)
      assert.equal(await comeBack(browser, answer.href), '/console/', next)
    }
  })

  test('a provider that does not respond leads to the login page with a reason', async () => {
    const silent = await platform.addOidc('https://localhost:9/')
    const address = `/api/session/providers/${silent.id}`
    const { status, headers } = await createBrowser(platform.url).ask(address)
    assert.deepEqual([status, headers.get('location')], [302, '/console/login?why=unreachable'])
    assert.match(platform.log.text(), /a login at a provider could not begin/)
  })
})
