import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startApiProxy } from './api-proxy.ts'
import { enterAs, type Person } from './enter-as.ts'
import { watchTexts } from './seen-texts.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'
import { openVisit } from './visit.ts'

const banner = (page: Page) => page.getByText(/Disconnected since \d\d:\d\d, retrying$/)
const waiting = (page: Page) => page.getByText(/Waiting for data since \d\d:\d\d$/)
const live = (page: Page) => page.getByRole('status').filter({ hasText: /live$/ })
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).click()

/** Texts of page errors and empty states, which must not appear. */
const falseReasons = ['This page crashed', 'No servers yet', 'No matching', 'No accounts yet']

// At the same time: the tests mostly wait for time to pass.
describe('the connection to the API', { concurrency: 4 }, () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  async function openServers(t: Parameters<TestConsole['visit']>[0], as: Person = fleet.owner) {
    const proxy = await startApiProxy(t, testConsole.url)
    const { page, context } = await openVisit(t, testConsole.browser, proxy.url)
    await enterAs(context, proxy.url, as)
    await page.goto('/console/servers?sort=name')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await live(page).waitFor()
    return { page, proxy }
  }

  test('a slow API counts as connected, and a waiting list shows that it is loading', async (t) => {
    const { page, proxy } = await openServers(t)
    const seen = await watchTexts(page, ['Disconnected', ...falseReasons])
    proxy.behave({ kind: 'slow', ms: 2_000 })
    await goTo(page, 'Overview')
    await page.locator('[aria-busy=true]').first().waitFor()
    await page.getByRole('link', { name: /^Servers\D+24/ }).waitFor({ timeout: 20_000 })
    await goTo(page, 'Servers')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await live(page).waitFor()
    assert.deepEqual(await seen(), [])
    await page.reload()
    await page.getByRole('link', { name: 'web-01' }).waitFor({ timeout: 25_000 })
  })

  test('an API that takes 6 s for each response is not shown as lost again and again', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'slow', ms: 6_000 })
    // Until the first slow response, it cannot be told from a silent API.
    await banner(page).waitFor()
    await banner(page).waitFor({ state: 'detached' })
    const seen = await watchTexts(page, ['Disconnected', ...falseReasons])
    await goTo(page, 'Activity')
    await page.getByRole('cell', { name: 'olga' }).first().waitFor({ timeout: 20_000 })
    await page.waitForTimeout(10_000)
    await live(page).waitFor()
    assert.deepEqual(await seen(), [])
  })

  test('a web page in place of the API shows as a lost connection', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'page' })
    const seen = await watchTexts(page, falseReasons)
    await banner(page).waitFor({ timeout: 5_000 })
    await goTo(page, 'Activity')
    await page.getByRole('alert').filter({ hasText: 'Cannot reach Muster' }).first().waitFor()
    assert.deepEqual(await seen(), [])
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'Cannot reach Muster' }).waitFor()
    proxy.behave({ kind: 'normal' })
    await page.getByRole('cell', { name: 'olga' }).first().waitFor()
    await live(page).waitFor()
  })

  test('data that does not arrive is not shown as live, though the API responds', async (t) => {
    const { page, proxy } = await openServers(t)
    const seen = await watchTexts(page, ['Disconnected', ...falseReasons])
    proxy.behave({ kind: 'silent', under: '/api/servers' })
    await page.getByRole('link', { name: 'web-02' }).click()
    await waiting(page).waitFor({ timeout: 15_000 })
    assert.equal(await live(page).count(), 0)
    assert.deepEqual(await seen(), [])
    await page.getByRole('button', { name: 'Retry now' }).click()
    proxy.behave({ kind: 'normal' })
    await page.getByRole('heading', { name: 'web-02' }).waitFor()
    await live(page).waitFor()
  })

  test('data that a rate limit rejects is not shown as live, and the page says when to retry', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'failing', status: 429, under: '/api/servers' })
    await page.getByRole('link', { name: 'web-02' }).click()
    await waiting(page).waitFor()
    assert.equal(await live(page).count(), 0)
    const notice = page.getByRole('alert').filter({ hasText: 'Too many requests' }).first()
    assert.match((await notice.textContent()) ?? '', /Try again in 7 seconds\./)
    proxy.behave({ kind: 'normal' })
    await page.getByRole('heading', { name: 'web-02' }).waitFor()
    await live(page).waitFor()
  })

  for (const status of [500, 503]) {
    test(`status ${status} shows as disconnected, and loaded data stays`, async (t) => {
      const { page, proxy } = await openServers(t)
      const seen = await watchTexts(page, falseReasons)
      proxy.behave({ kind: 'failing', status })
      await banner(page).waitFor()
      assert.equal(await live(page).count(), 0)
      await page.getByRole('link', { name: 'web-01' }).waitFor()
      await goTo(page, 'Activity')
      await page.getByRole('alert').waitFor()
      await banner(page).waitFor()
      proxy.behave({ kind: 'normal' })
      await page.getByRole('cell', { name: 'olga' }).first().waitFor()
      await banner(page).waitFor({ state: 'detached' })
      await live(page).waitFor()
      assert.deepEqual(await seen(), [])
    })
  }

  test('every page shows a lost connection while Muster is down, and loads when it is back', async (t) => {
    const { page, proxy } = await openServers(t, admin)
    // The code of all pages is preloaded shortly after the first page.
    await page.waitForTimeout(3_000)
    const seen = await watchTexts(page, falseReasons)
    await proxy.stop()
    await banner(page).waitFor()
    for (const name of ['Overview', 'Changes', 'Accounts', 'Locations', 'Identity', 'Activity']) {
      await goTo(page, name)
      await page.getByRole('alert').filter({ hasText: 'Cannot reach Muster' }).first().waitFor()
      await banner(page).waitFor()
    }
    await page.getByRole('button', { name: 'Retry now' }).click()
    await banner(page).waitFor()
    await proxy.restart()
    await page.getByRole('cell', { name: 'sysadmin' }).first().waitFor()
    await live(page).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(await seen(), [])
  })

  test('missing responses show as a lost connection, on a server page too', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'silent' })
    await page.getByRole('link', { name: 'web-02' }).click()
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('alert').filter({ hasText: 'Cannot reach Muster' }).waitFor()
    await banner(page).waitFor()
    proxy.behave({ kind: 'normal' })
    await panel.getByRole('heading', { name: 'web-02' }).waitFor()
    await live(page).waitFor()
  })

  /** What is around every page. */
  async function assertFrame(page: Page): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: 'Servers' }).waitFor()
    const header = page.getByRole('banner')
    await header.getByRole('button', { name: /\bweb\b/ }).waitFor()
    await header.getByRole('button', { name: new RegExp(fleet.owner.name) }).waitFor()
  }

  test('a search that fails keeps the rows and the filters, dimmed, with one message', async (t) => {
    const { page, proxy } = await openServers(t)
    const filters = page.getByRole('complementary', { name: 'Filters' })
    const groups = await filters.getByRole('heading').allInnerTexts()
    assert.ok(groups.length > 0)
    const rows = page.locator('[data-outdated=true]')
    const search = page.getByRole('combobox', { name: 'Filter servers' })
    for (const behaviour of [
      { kind: 'slow', ms: 4_000 },
      { kind: 'failing', status: 503, under: '/api/servers' },
    ] as const) {
      proxy.behave(behaviour)
      await search.fill(behaviour.kind === 'slow' ? 'web' : 'web-0')
      await rows.getByRole('link', { name: 'web-01' }).waitFor()
      if (behaviour.kind === 'failing') await banner(page).waitFor()
      assert.deepEqual(await filters.getByRole('heading').allInnerTexts(), groups)
      assert.equal(await rows.count(), 1)
      assert.equal(await page.getByRole('alert').count(), 0)
      proxy.behave({ kind: 'normal' })
      await rows.waitFor({ state: 'detached' })
      await live(page).waitFor()
    }
  })

  test('a page opened without the API has its frame, and waits for it', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'failing', status: 502 })
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'Cannot reach Muster' }).waitFor()
    await assertFrame(page)
    proxy.behave({ kind: 'normal' })
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await live(page).waitFor()
  })

  test('a page that is reloaded while the API is silent says so within 5 s, and can retry', async (t) => {
    const { page, proxy } = await openServers(t)
    proxy.behave({ kind: 'silent' })
    await page.reload()
    const seen = await watchTexts(page, falseReasons)
    const notice = page.getByRole('alert').filter({ hasText: 'Cannot reach Muster' })
    await notice.waitFor({ timeout: 5_000 })
    await assertFrame(page)
    await notice.getByRole('button', { name: 'Try again' }).click()
    // Long enough for the monitor to cancel the request for the session.
    await page.waitForTimeout(17_000)
    await notice.waitFor()
    assert.deepEqual(await seen(), [])
    proxy.behave({ kind: 'normal' })
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await live(page).waitFor()
  })

  test('without a connection, the overview does not say that all is well', async (t) => {
    const attached = await testConsole.admin.call('createCloudAccount', {
      body: {
        cloudaccount: {
          name: 'simulated',
          provider: 'Simulator',
          project_id: fleet.db,
          address: '',
          options: { servers: 1 },
        },
      },
    })
    assert.equal(attached.status, 201, attached.text)
    const { page, proxy } = await openServers(t, admin)
    await goTo(page, 'Overview')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    const fine = attention.getByText('Nothing needs attention')
    await fine.waitFor()
    await proxy.stop()
    await banner(page).waitFor()
    await attention.getByText(/^Last known at \d\d:\d\d:\d\d$/).waitFor()
    assert.equal(await fine.count(), 0)
    await proxy.restart()
    await fine.waitFor()
  })

  test('an expired session opens the login page and does not show a lost connection', async (t) => {
    const { page } = await openServers(t, fleet.viewer)
    const seen = await watchTexts(page, ['Disconnected'])
    const { database } = testConsole
    const sessions = database.db.deleteFrom('sessions').where('user_id', '=', fleet.viewer.userId)
    await database.commit([sessions.compile()])
    await page.waitForURL('**/console/login**')
    assert.deepEqual(await seen(), [])
  })
})
