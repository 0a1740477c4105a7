import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { LoginOptions, SessionDto } from '@muster/contract'
import { assertError } from '../../server/src/testing/assert-error.ts'
import { startCasPlatform } from '../../server/src/testing/cas-platform.ts'
import { startFakeCas } from '../../server/src/testing/fake-cas.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createBrowser, type Browser } from './testing/browser.ts'
import { consoleHome, nextPage } from './next-page.ts'

const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } }

describe('login at a CAS server', () => {
  const lifetime = suiteLifetime()

  async function start(_t: TestContext) {
    const platform = await startCasPlatform(lifetime, 'sqlite')
    const cas = await startFakeCas(lifetime)
    const service_url = `${platform.url}/api/session/cas`
    const provider = await platform.addProvider(cas, { service_url, name: 'campus' })
    const projectId = await platform.identities.addProject('lab')
    await platform.changeProvider(provider.id, {
      mapping: [
        {
          attribute: 'group',
          value: 'staff',
          role_id: await platform.roleId('project_owner'),
          project_id: projectId,
        },
      ],
    })
    const rows = () => platform.database.db.selectFrom('sessions').selectAll().execute()
    const browser = createBrowser(platform.url)
    /** The redirect to the CAS server. Returns its target. */
    const leave = async (from: Browser, next = '') => {
      const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`
      return await from.ask(`/api/session/cas/${provider.id}${query}`)
    }
    /** The redirect back from the CAS server. */
    const comeBack = (to: Browser, ticket: string) =>
      to.ask(`/api/session/cas?ticket=${ticket}`, crossSite)
    return { platform, cas, provider, service_url, browser, rows, leave, comeBack }
  }

  test('redirects to the server and back to the console', async (t) => {
    const { cas, provider, service_url, browser, leave, comeBack } = await start(t)
    const { body: ways } = await browser.ask<LoginOptions>('/api/login')
    assert.deepEqual(ways.providers, [{ id: provider.id, name: 'campus' }])

    const away = await leave(browser, '/console/servers?q=status:running')
    assert.equal(away.status, 302)
    const target = new URL(away.headers.get('location') ?? '')
    assert.equal(target.origin + target.pathname, `${cas.base}/login`)
    assert.deepEqual([...target.searchParams], [['service', service_url]])

    const ticket = cas.ticketFor('ada', { group: ['staff'] })
    const back = await comeBack(browser, ticket)
    assert.equal(back.status, 302)
    assert.equal(back.headers.get('location'), '/console/servers?q=status:running')
    const { status, body } = await browser.ask<{ session: SessionDto }>('/api/session')
    assert.equal(status, 200)
    assert.equal(body.session.user.name, 'ada')
    assert.equal(body.session.scope.name, 'lab')
    assert.ok(!browser.cookies.has('__Host-muster-login'))

    const asked = cas.askedAbout(ticket).map((asked) => new URL(asked, cas.base).searchParams)
    assert.deepEqual(
      asked.map((query) => query.get('service')),
      [service_url],
    )
  })

  test('works at the address that all drivers share, for that provider only', async (t) => {
    const { platform, cas, provider, service_url, browser, rows } = await start(t)
    const other = await startFakeCas(lifetime)
    const { id } = await platform.addProvider(other, { service_url, name: 'partners' })
    const come = async (at: string) => {
      const away = await browser.ask(`/api/session/providers/${provider.id}`)
      assert.match(away.headers.get('location') ?? '', /\/cas\/login\?service=/)
      const path = `/api/session/providers/${at}/callback?ticket=${cas.ticketFor('ada')}&more=x`
      return (await browser.ask(path, crossSite)).headers.get('location')
    }
    assert.equal(await come(id), '/console/login?why=provider')
    assert.deepEqual(await rows(), [])
    assert.equal(await come(provider.id), consoleHome)
    assert.equal(other.connections(), 0)
  })

  test('of several servers needs an address for each, so that none sees tickets of another', async (t) => {
    const { platform, cas, provider, service_url, browser, rows, leave } = await start(t)
    const other = await startFakeCas(lifetime)
    const { id: otherId } = await platform.addProvider(other, { service_url, name: 'partners' })
    const own = (id: string) => `/api/session/providers/${id}/callback`
    const use = (id: string, path: string) =>
      platform.changeProvider(id, { service_url: platform.url + path })
    const shared = '/api/session/cas'
    const come = async (begunAt: string, path: string) => {
      const ticket = cas.ticketFor('grace', { group: ['staff'] })
      await browser.ask(`/api/session/providers/${begunAt}`)
      const { headers } = await browser.ask(`${path}?ticket=${ticket}`, crossSite)
      return headers.get('location')
    }
    const failed = '/console/login?why=provider'
    /** The address of each, where a login begun at which comes back, and the page that follows. */
    const cases = [
      [shared, shared, provider.id, shared, failed],
      [shared, shared, otherId, shared, failed],
      [`${shared}?x=1`, shared, otherId, shared, failed],
      [shared, own(otherId), otherId, shared, failed],
      [own(provider.id), own(otherId), provider.id, shared, failed],
      [own(provider.id), own(otherId), otherId, own(provider.id), failed],
      [shared, own(otherId), provider.id, shared, consoleHome],
      [own(provider.id), own(otherId), provider.id, own(provider.id), consoleHome],
    ] as const
    for (const [ofOne, ofOther, begunAt, path, page] of cases) {
      await use(provider.id, ofOne)
      await use(otherId, ofOther)
      assert.equal(await come(begunAt, path), page, [ofOne, ofOther, begunAt, path].join(' '))
    }
    assert.equal((await rows()).length, 1)
    assert.equal(other.connections(), 0)
    const { body } = await browser.ask<{ session: SessionDto }>('/api/session')
    assert.deepEqual([body.session.user.name, body.session.scope.name], ['grace', 'lab'])

    await use(provider.id, shared)
    await use(otherId, shared)
    await platform.changeProvider(otherId, { enabled: false })
    await leave(browser)
    assert.equal(await come(provider.id, shared), consoleHome, 'a disabled one does not count')
  })

  test('SEC-50 works only in the browser that started it', async (t) => {
    const { cas, browser, rows, leave, comeBack } = await start(t)
    await leave(browser)
    const victim = createBrowser(browser.url)
    const ticket = cas.ticketFor('mallory')
    const answer = await comeBack(victim, ticket)
    assert.equal(answer.headers.get('location'), '/console/login?why=provider')
    assert.deepEqual([...victim.cookies.keys()], [])
    assert.deepEqual(cas.askedAbout(ticket), [])
    assert.deepEqual(await rows(), [])
    // Pages of other origins cannot redirect it there either.
    assertError(await victim.ask(`/api/session/cas/none`, crossSite), 'ForbiddenError')
  })

  test('an invalid or used ticket leads to the login page', async (t) => {
    const { cas, browser, rows, leave, comeBack } = await start(t)
    for (const ticket of ['ST-unknown', 'nonsense', '']) {
      await leave(browser)
      const answer = await comeBack(browser, ticket)
      assert.equal(answer.headers.get('location'), '/console/login?why=provider')
    }
    await leave(browser)
    const ticket = cas.ticketFor('ada')
    await comeBack(browser, ticket)
    const again = createBrowser(browser.url)
    await leave(again)
    assert.equal(
      (await comeBack(again, ticket)).headers.get('location'),
      '/console/login?why=provider',
    )
    assert.equal((await rows()).length, 1)
  })

  test('is not offered for a server that is unknown or disabled', async (t) => {
    const { platform, provider, browser, leave } = await start(t)
    assertError(await browser.ask('/api/session/cas/none'), 'ResourceNotFoundError')
    await platform.changeProvider(provider.id, { enabled: false })
    assertError(await leave(browser), 'ResourceNotFoundError')
    assert.deepEqual((await browser.ask<LoginOptions>('/api/login')).body.providers, [])
  })

  test('SEC-55 redirects only to pages of the console', async (t) => {
    const { cas, browser, leave, comeBack } = await start(t)
    for (const next of hostile) {
      await leave(browser, next)
      const { headers } = await comeBack(browser, cas.ticketFor('ada'))
      assert.equal(headers.get('location'), consoleHome, next)
    }
    const asked = await browser.ask(
      `/api/session/cas/none?service=${encodeURIComponent('https://evil.example')}`,
    )
    assertError(asked, 'InputParameterError')
  })
})

const hostile = [
  'https://evil.example',
  '//evil.example/console/',
  '/\\evil.example',
  '/console/../api/session',
  '/console/%2e%2e/api',
  '/console//evil.example',
  '/console/\\evil.example',
  'javascript:alert(1)',
  '/consolex/',
  '/console',
  '/console/\r\nSet-Cookie: a=b',
  ' /console/',
  'http://127.0.0.1/console/',
]

test('SEC-55 accepts only console paths as the page after the login', () => {
  for (const next of [...hostile, '']) assert.equal(nextPage(next), consoleHome, next)
  assert.equal(nextPage(undefined), consoleHome)
  for (const next of ['/console/', '/console/servers', '/console/servers?q=a%20b&sort=-name']) {
    assert.equal(nextPage(next), next)
  }
})
