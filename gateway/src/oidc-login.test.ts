import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { LoginOptions, SessionDto } from '@muster/contract'
import { startOidcPlatform, type OidcPlatform } from '../../server/src/testing/oidc-platform.ts'
import { startOidcProvider, type RealOidc } from '../../server/src/testing/real-oidc.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }
const failed = '/console/login?why=provider'

describe('login at an OpenID provider', () => {
  const lifetime = suiteLifetime()

  let platform: OidcPlatform
  let oidc: RealOidc
  let id: string
  let path: string
  before(async () => {
    platform = await startOidcPlatform(lifetime, 'sqlite')
    oidc = await startOidcProvider(lifetime)
    const project_id = await platform.identities.addProject('lab')
    const role_id = await platform.roleId('project_owner')
    const mapping = [{ attribute: 'groups', value: 'staff', role_id, project_id }]
    const scopes = 'openid profile email groups'
    id = (await platform.addOidc(oidc.issuer, { name: 'acme', mapping }, { scopes })).id
    path = `/api/session/providers/${id}`
    await oidc.configure({
      redirect_uris: [`${platform.url}${path}/callback`],
      post_logout_redirect_uris: [`${platform.url}/console/login`],
      backchannel_logout_uri: `${platform.url}${path}/logout`,
      backchannel_logout_session_required: true,
    })
    oidc.addPerson('ada-1815', {
      preferred_username: 'ada',
      name: 'Ada Lovelace',
      groups: ['staff'],
    })
    oidc.addPerson('grace-1906', { preferred_username: 'grace' })
  })

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
    const back = await oidc.createBrowser().logIn(address, 'ada-1815')
    assert.equal(new URL(back).searchParams.get('iss'), oidc.issuer)
    assert.equal(await comeBack(browser, back), '/console/servers?q=status:running')

    const { session } = (await browser.ask<{ session: SessionDto }>('/api/session')).body
    assert.deepEqual(
      [session.user.name, session.user.displayname, session.scope.name],
      ['ada', 'Ada Lovelace', 'lab'],
    )
    assert.ok(!browser.cookies.has('__Host-muster-login'))
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
      'with the verifier of another login (PKCE)': (_, browser) => {
        const name = '__Host-muster-login'
        const cookie = browser.cookies.get(name) ?? ''
        const pending = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as {
          remembered: { code_verifier: string }
        }
        pending.remembered.code_verifier = 'x'.repeat(43)
        browser.cookies.set(name, Buffer.from(JSON.stringify(pending)).toString('base64url'))
      },
    }
    const person = oidc.createBrowser()
    for (const [name, attack] of Object.entries(attacks)) {
      const browser = createBrowser(platform.url)
      const good = new URL(await person.logIn(await leave(browser), 'grace-1906'))
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
    const answer = await oidc.createBrowser().logIn(await leave(browser), 'ada-1815')
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
    const logIn = async () =>
      await comeBack(browser, await oidc.createBrowser().logIn(await leave(browser), 'ada-1815'))
    await logIn()
    const before = browser.cookies.get('__Host-muster') ?? ''
    await logIn()
    assert.notEqual(browser.cookies.get('__Host-muster'), before)
    const attacker = createBrowser(platform.url)
    attacker.cookies.set('__Host-muster', before)
    assert.equal((await attacker.ask('/api/session')).status, 401)
  })

  test('logging out leads to the provider and back, and the provider ends its other sessions', async () => {
    const person = oidc.createBrowser()
    const [browser, tablet] = [createBrowser(platform.url), createBrowser(platform.url)]
    const stranger = createBrowser(platform.url)
    for (const each of [browser, tablet]) {
      await comeBack(each, await person.logIn(await leave(each), 'ada-1815'))
    }
    await comeBack(stranger, await oidc.createBrowser().logIn(await leave(stranger), 'ada-1815'))
    await browser.ask('/api/session')
    const { status, body } = await browser.ask<{ logout_page: string }>('/api/session', {
      method: 'DELETE',
    })
    assert.equal(status, 200)
    const { searchParams } = new URL(body.logout_page)
    assert.deepEqual(Object.fromEntries(searchParams), {
      client_id: 'muster',
      post_logout_redirect_uri: `${platform.url}/console/login`,
    })
    assert.equal(await person.logOut(body.logout_page), `${platform.url}/console/login`)
    const statusOf = async (each: Browser) => (await each.ask('/api/session')).status
    assert.deepEqual(
      [await statusOf(browser), await statusOf(tablet), await statusOf(stranger)],
      [401, 401, 200],
    )
  })

  test('SEC-55 redirects only to pages of the console', async () => {
    const person = oidc.createBrowser()
    for (const next of ['https://evil.example', '//evil.example/console/', '/console//evil']) {
      const browser = createBrowser(platform.url)
      const answer = await person.logIn(await leave(browser, next), 'ada-1815')
      assert.equal(await comeBack(browser, answer), '/console/', next)
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
