import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { settle } from './settle.ts'
import { startConsole, type TestConsole } from './start-console.ts'

/** The background colour; empty if there is none yet. */
const background = `[document.documentElement, document.body].map((one) =>
  one ? getComputedStyle(one).backgroundColor : '').find((colour) => !/^$|, 0\\)$/.test(colour)) ?? ''`

/** How many pixels the content exceeds the window width. */
const excess = `Math.max(document.scrollingElement.scrollWidth, ...[...document.querySelectorAll(
  'header, main, main > *, main section, aside, [role=search], [role=group], main h1, main h2',
)].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().right)) - innerWidth`

/** The sizes of all visible texts. */
const textSizes = `[...new Set([...document.querySelectorAll('body *')].filter((one) =>
  one.checkVisibility() && !one.closest('.visuallyHidden') &&
  [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''),
).map((one) => getComputedStyle(one).fontSize))]`

const paths = [
  '/',
  '/servers',
  '/infrastructure/hosts',
  '/accounts',
  '/locations',
  '/identity/projects',
  '/changes',
  '/activity',
  '/me/keys',
]

async function visitAll(page: Page, server: string, look: (path: string) => Promise<void>) {
  for (const path of [...paths, `/servers/${server}`, `/servers?panel=${server}`]) {
    await page.goto(`/console${path}`)
    await settle(page)
    await look(path)
  }
}

describe('appearance', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  test('dark from the first paint if the system theme is dark', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner, { colorScheme: 'dark' })
    // The bundle never loads, so the page shows its state before the first script.
    await context.route('**/assets/*.js', () => {})
    await page.goto('/console/', { waitUntil: 'commit' })
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' })
    const first = await eventually('the page has its colours', async () => {
      const colours: string = await page.evaluate(background)
      return colours !== '' && colours
    })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto('/console/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    const dark: string = await page.evaluate(background)
    assert.equal(dark, first)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('html[data-theme="light"]').waitFor()
    assert.notEqual(await page.evaluate(background), dark)
  })

  test('the chosen theme overrides the system theme', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner, { colorScheme: 'light' })
    await page.goto('/console/')
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    await page.reload()
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Match system' }).click()
    await page.locator('html[data-theme="light"]').waitFor()
  })

  test('Chinese by browser language and by choice', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner, { locale: 'zh-CN' })
    await page.goto('/console/servers')
    await page.getByRole('heading', { name: '服务器', level: 1 }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN')
    const english = await testConsole.visit(t, fleet.owner)
    await english.page.goto('/console/servers')
    await english.page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
    await english.page.getByRole('button', { name: 'Theme' }).click()
    await english.page.getByRole('menuitemcheckbox', { name: /中文/ }).click()
    await english.page.getByRole('heading', { name: '服务器', level: 1 }).waitFor()
    await english.page.reload()
    await english.page.getByRole('heading', { name: '服务器', level: 1 }).waitFor()
  })

  for (const width of [360, 3840]) {
    test(`fits a window of ${width} pixels, without scrolling sideways`, async (t) => {
      const viewport = { width, height: width === 360 ? 740 : 2160 }
      const { page } = await testConsole.visit(t, fleet.owner, { viewport })
      await visitAll(page, fleet.servers[0]?.id ?? '', async (path) => {
        const wide: number = await page.evaluate(excess)
        assert.ok(wide <= 0, `${path}: ${wide} pixels`)
      })
    })
  }

  test('a page has at most three text sizes', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await visitAll(page, fleet.servers[0]?.id ?? '', async (path) => {
      const sizes = await page.evaluate<string[]>(textSizes)
      assert.ok(sizes.length <= 3, `${path}: ${sizes.join(', ')}`)
    })
  })

  test('shows that the device is offline, and continues when it is online again', async (t) => {
    const { page, context, requests } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers?sort=name&panel=${fleet.servers[1]?.id}`)
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('heading', { name: 'web-02' }).waitFor()
    await context.setOffline(true)
    await page.getByRole('status').filter({ hasText: 'Disconnected since' }).waitFor()
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    // Code that fails to load is lost until the page is reloaded, so none is preloaded now.
    const requestsBefore = requests.length
    await page.waitForTimeout(3_000)
    assert.deepEqual(
      requests.slice(requestsBefore).filter((url) => url.includes('/assets/')),
      [],
    )
    await context.setOffline(false)
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
    await page.getByRole('link', { name: 'web-01' }).click()
    await panel.getByRole('heading', { name: 'web-01' }).waitFor()
  })

  test('an error shows its request ID, and the page loads once the API recovers', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner)
    await context.route('**/api/servers?*', async (route) => {
      const body = {
        error: {
          class: 'InternalServerError',
          code: 500,
          details: 'out of order',
          request_id: 'req-4711',
        },
      }
      await route.fulfill({ status: 500, json: body, headers: { 'x-request-id': 'req-4711' } })
    })
    await page.goto('/console/servers')
    await page.getByRole('alert').getByText('req-4711').waitFor({ timeout: 15_000 })
    await context.unrouteAll()
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await page.goto('/console/no/such/page')
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
  })
})
