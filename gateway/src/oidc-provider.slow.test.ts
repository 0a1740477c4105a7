import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { LoginOptions, SessionDto } from '@muster/contract'
import { startOidcPlatform, type OidcPlatform } from '../../server/src/testing/oidc-platform.ts'
import { startOidcProvider, type RealOidc } from '../../server/src/testing/real-oidc.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'

const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }
const failed = '/console/login?why=provider'

describe('login at a certified OpenID provider', () => {
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

  test('refuses a code to who has the verifier of another login (PKCE)', async () => {
    const browser = createBrowser(platform.url)
    const answer = await oidc.createBrowser().logIn(await leave(browser), 'grace-1906')
    const name = '__Host-muster-login'
    const pending = JSON.parse(
      Buffer.from(browser.cookies.get(name) ?? '', 'base64url').toString(),
    ) as { remembered: { code_verifier: string } }
    pending.remembered.code_verifier = 'x'.repeat(43)
    browser.cookies.set(name, Buffer.from(JSON.stringify(pending)).toString('base64url'))
    assert.equal(await comeBack(browser, answer), failed)
    assert.deepEqual([...browser.cookies.keys()], [])
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
})
