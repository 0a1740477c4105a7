import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createActingFleet, type ActingFleet } from './acting-fleet.ts'
import { settle } from './settle.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** Elements that are wider than the window, or whose content is wider than they are. Tabs may scroll. */
const tooWide = `[...document.querySelectorAll('main *')].filter((one) => {
  if (!one.checkVisibility() || one.closest('nav, svg, .visuallyHidden')) return false
  const { overflowX } = getComputedStyle(one)
  const scrolls = /auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1
  return scrolls || one.getBoundingClientRect().right > innerWidth + 1
}).map((one) => one.outerHTML.slice(0, 160))`

const pageScrolls = 'document.scrollingElement.scrollWidth > innerWidth'

async function boxOf(of: Locator) {
  const box = await of.boundingBox()
  assert.ok(box)
  return box
}

describe('on a phone', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: ActingFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createActingFleet(testConsole, 60)
  })

  const visit = async (t: Parameters<TestConsole['visit']>[0], path: string): Promise<Page> => {
    const { page } = await testConsole.visit(t, admin, phone)
    await page.goto(`/console${path}`)
    await settle(page)
    return page
  }

  test('the list shows name, status, address and project in the first third', async (t) => {
    const page = await visit(t, '/servers?sort=name')
    const [server] = await fleet.list('order_by=name&order=asc')
    assert.ok(server)
    const row = page.getByRole('row').filter({ hasText: server.name }).first()
    const [address = ''] = server.ips.split(',')
    for (const text of [server.name, /Running|Stopped|Suspended|Unknown/, address, 'ops']) {
      const { x, y, width, height } = await boxOf(row.getByText(text).first())
      assert.ok(x >= 0 && x + width <= 390, `${String(text)} is beside the window`)
      assert.ok(y + height <= 844 / 3, `${String(text)} ends at ${y + height}`)
    }
    await page.getByRole('button', { name: 'List options' }).tap()
    await page.getByRole('button', { name: 'Export' }).waitFor()
    assert.deepEqual(await page.evaluate(tooWide), [])
  })

  test('a server has the whole screen, and leads back to the list', async (t) => {
    const page = await visit(t, '/servers?sort=name')
    await page.locator('tbody tr').nth(1).getByRole('link').tap()
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('heading', { level: 2 }).first().waitFor()
    const { x, y, width, height } = await boxOf(panel)
    assert.deepEqual([x, width], [0, 390])
    // The page keeps its title, for screen readers.
    assert.equal(await page.getByRole('heading', { name: 'Servers', level: 1 }).count(), 1)
    assert.ok(y <= 60 && y + height >= 840, `from ${y} to ${y + height}`)
    // There is no pointer that could hover.
    const filter = panel.getByRole('link', { name: 'Show servers with project:ops' })
    const icon = filter.locator('svg')
    assert.ok(await icon.evaluate((one) => one.checkVisibility({ opacityProperty: true })))
    await page.goBack()
    await page.locator('tbody tr').nth(1).waitFor()
    assert.equal(await panel.count(), 0)
  })

  test('no page scrolls sideways', async (t) => {
    const { id } = await fleet.take('running')
    const stopped = await testConsole.admin.call('stopServer', { path: { id } })
    assert.equal(stopped.status, 200, stopped.text)
    const ids = [id]
    const batch = await testConsole.admin.call('createBatch', {
      body: { batch: { action: 'restart', ids } },
    })
    assert.equal(batch.status, 202, batch.text)
    await testConsole.platform.checks.evaluateChecks()
    const page = await visit(t, '/')
    const tabs = ['overview', 'network', 'disks', 'security', 'tags', 'history', 'tasks']
    for (const path of [
      '/',
      '/servers',
      '/infrastructure/networks',
      '/changes',
      '/tasks',
      '/tasks?view=batches',
      '/activity',
      '/checks',
      ...tabs.map((tab) => `/servers/${id}/${tab}`),
    ]) {
      await page.goto(`/console${path}`)
      await settle(page)
      assert.deepEqual(await page.evaluate(tooWide), [], path)
      assert.equal(await page.evaluate(pageScrolls), false, path)
    }
  })

  test('buttons and links of lists are large enough for a thumb', async (t) => {
    const page = await visit(t, '/tasks')
    for (const path of [
      '/tasks',
      '/activity',
      '/changes',
      '/',
      '/servers',
      '/checks',
      '/locations',
    ]) {
      await page.goto(`/console${path}`)
      await settle(page)
      const small = await page
        .locator('main button, main summary, main a, main input, header a')
        .evaluateAll((all) =>
          all
            .filter((one) => {
              const { width, height } = one.getBoundingClientRect()
              // A bar of a chart is as wide as its share of the window.
              const isNarrow = width < 24 && one.matches('td a, input, header a')
              return one.checkVisibility() && (height < 24 || isNarrow)
            })
            .map((one) => one.outerHTML.slice(0, 120)),
        )
      assert.deepEqual(small, [], path)
    }
  })
})
