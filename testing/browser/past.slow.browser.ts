import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startApiProxy } from './api-proxy.ts'
import { enterAs } from './enter-as.ts'
import { examine } from './examine.ts'
import { createSmallFleet, sizes, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'
import { openVisit } from './visit.ts'

const minute = 60_000

describe('the past', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  let ago = 180 * minute
  before(async () => {
    testConsole = await startConsole(lifetime, { clock: () => Date.now() - ago })
    fleet = await createSmallFleet(testConsole)
    ago = 30 * minute
    const [first, second] = fleet.servers
    assert.ok(first && second)
    const { inventory } = testConsole.platform
    await inventory.recordServers({ present: [{ ...first, name: 'renamed' }], gone: [second.id] })
    ago = 0
  })

  async function open(t: Parameters<TestConsole['visit']>[0], path: string) {
    const proxy = await startApiProxy(t, testConsole.url)
    const { page, context } = await openVisit(t, testConsole.browser, proxy.url, {
      bypassCSP: true,
    })
    await enterAs(context, proxy.url, fleet.owner)
    await page.goto(`/console${path}`)
    return { page, proxy }
  }

  test('is chosen beside the query bar, shown plainly, without actions, and compared with now', async (t) => {
    const { page } = await open(t, '/servers?sort=name')
    const row = (name: string) => page.getByRole('link', { name, exact: true })
    await row('renamed').waitFor()
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    await page.getByRole('menuitem', { name: 'An hour ago' }).click()
    const notice = page.getByRole('region', { name: 'Time' })
    await notice.getByText('You see the past').waitFor()
    await row('web-01').waitFor()
    await page.getByText(`${sizes.web} servers`).waitFor()
    assert.equal(await row('renamed').count(), 0)
    assert.equal(await page.locator('tbody input').count(), 0, 'nothing can be selected')
    await page.reload()
    await row('web-02').click()
    await page.getByRole('link', { name: 'Open full page' }).click()
    await page.getByRole('heading', { name: 'web-02', level: 1 }).waitFor()
    await notice.waitFor()
    assert.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0)
    assert.deepEqual(await examine(page, 'past'), [])
    await page.goBack()
    await notice.getByRole('link', { name: 'Compare with now' }).click()
    await page.getByRole('heading', { name: 'What is different' }).waitFor()
    await page.getByText('0 appeared, 1 gone, 1 changed').waitFor()
    await page.getByText('renamed').first().waitFor()
    assert.deepEqual(await examine(page, 'past'), [])
    await page.goBack()
    await notice.getByRole('button', { name: 'Back to now' }).click()
    await row('renamed').waitFor()
    assert.equal(await notice.count(), 0)
  })

  test('ends the history, the strip and the command of a server, and has no tasks', async (t) => {
    const time = new Date(Date.now() - 60 * minute).toISOString()
    const id = fleet.servers[0]?.id ?? ''
    const { page } = await open(t, `/servers/${id}/history`)
    await page.getByText('renamed', { exact: false }).nth(1).waitFor()
    await page.goto(`/console/servers/${id}/history?as_of=${time}`)
    await page.getByRole('heading', { name: 'web-01', level: 1 }).waitFor()
    await page.getByText('End of history').waitFor()
    assert.equal(await page.getByText('renamed').count(), 0)
    await page.goto(`/console/servers/${id}/tasks?as_of=${time}`)
    await page.getByText('Tasks are shown only as they are now').waitFor()
    await page.goto(`/console/servers/${id}/tags?as_of=${time}`)
    await page.getByRole('heading', { name: /^Tags/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add tag' }).count(), 0)
    await page.goto(`/console/servers/${id}/json?as_of=${time}`)
    await page.getByText(`as_of=${encodeURIComponent(time)}`).waitFor()
  })

  test('is kept from the locations to the servers, and ends the changes', async (t) => {
    const time = new Date(Date.now() - 60 * minute).toISOString()
    const { page } = await open(t, `/servers?as_of=${time}`)
    await page.getByRole('link', { name: 'Locations', exact: true }).click()
    await page.getByRole('heading', { name: 'Locations' }).waitFor()
    await page
      .getByTitle(/in rack-2/)
      .first()
      .click()
    await page.waitForURL(/servers\?.*as_of=/)
    await page.getByRole('region', { name: 'Time' }).waitFor()
    await page.locator('main').getByRole('link', { name: 'Changes', exact: true }).click()
    await page.waitForURL(/changes\?.*until=/)
    await page
      .getByText(/24 appeared|8 appeared/)
      .first()
      .waitFor()
    assert.equal(await page.getByText(/gone/).count(), 0)
  })

  test('is what the overview counts, and links stay at it', async (t) => {
    const { page } = await open(t, '/')
    const figure = (count: number) =>
      page.getByRole('link', { name: new RegExp(`^Servers ?${count}\\b`) })
    await figure(sizes.web - 1).waitFor()
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    await page.getByRole('menuitem', { name: 'An hour ago' }).click()
    await figure(sizes.web).waitFor()
    const notice = page.getByRole('region', { name: 'Time' })
    await notice.waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Needs attention' }).count(), 0)
    assert.deepEqual(await examine(page, 'past'), [])
    await page.getByRole('link', { name: 'Provider', exact: true }).click()
    await page.waitForURL('**/console/?**by=provider**')
    await figure(sizes.web).click()
    await page.getByRole('link', { name: 'web-02', exact: true }).waitFor()
    await notice.getByRole('button', { name: 'Back to now' }).click()
    await page.getByRole('link', { name: 'renamed', exact: true }).waitFor()
  })

  test('is not asked for before the recorded time', async (t) => {
    const { page } = await open(t, '/servers')
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Choose a time…' }).click()
    const field = page.getByRole('dialog').getByLabel('Time', { exact: true })
    await field.fill('2020-01-01T00:00')
    await page.getByText('Nothing is recorded before').first().waitFor()
    await page.getByLabel('Recorded time').press('End')
    assert.deepEqual(await examine(page, 'past'), [])
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('region', { name: 'Time' }).waitFor()
    // An address that somebody else sent.
    await page.goto('/console/servers?as_of=2020-01-01T00:00:00Z')
    await page
      .getByRole('alert')
      .getByText(/^Nothing is recorded before .*20\d\d/)
      .waitFor()
  })

  test('is a time of the address in each form that the API takes, and never crashes a page', async (t) => {
    const { page } = await open(t, '/')
    const now = Date.now()
    const day = new Date(now - 86_400_000).toISOString().slice(0, 10)
    // Undefined is a moment that the API refuses.
    const moments: Readonly<Record<string, RegExp | undefined>> = {
      '-40m': /as_of=20.*Z/,
      '-5m': /as_of=20.*Z/,
      yesterday: undefined,
      [day]: undefined,
      '2026-02-30': undefined,
      foo: undefined,
      'foo 1': undefined,
    }
    for (const path of ['/', '/servers', '/infrastructure/hosts', '/servers/x']) {
      for (const [text, address] of Object.entries(moments)) {
        await page.goto(`/console${path}?as_of=${text}`)
        const notice = page.getByRole('region', { name: 'Time' })
        await notice.getByText('You see the past').waitFor()
        if (address) await page.waitForURL(address)
        else await page.getByRole('alert').first().waitFor()
        assert.equal(await page.getByText('This page crashed').count(), 0, `${path} ${text}`)
      }
    }
  })

  test('never has rows, counts or times of another moment', async (t) => {
    const { page } = await open(t, '/servers')
    await page.getByRole('link', { name: 'renamed', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    const item = (name: string) => page.getByRole('menuitem', { name })
    await page.locator('[role=menuitem][aria-disabled]').first().waitFor()
    assert.equal(
      await item('Yesterday at this time').getAttribute('aria-disabled'),
      'true',
      'nothing is recorded then',
    )
    assert.equal(await item('An hour ago').getAttribute('aria-disabled'), null)
    await item('Choose a time…').click()
    assert.equal(await page.getByRole('dialog').locator('[aria-invalid=true]').count(), 0)
    await page.keyboard.press('Escape')
    // As a link of the page does, without loading the page again.
    await page.evaluate(`history.pushState({}, '', '/console/servers?as_of=2020-01-01T00:00:00Z')
      dispatchEvent(new PopStateEvent('popstate'))`)
    await page.getByRole('alert').getByText('Nothing is recorded before').waitFor()
    assert.equal(await page.getByRole('link', { name: 'web-01', exact: true }).count(), 0)
    assert.equal(await page.getByRole('row').count(), 0)
    assert.equal(await page.getByText(`${sizes.web - 1} servers`).count(), 0)
  })

  test('is shown on infrastructure too, and survives an API that is away', async (t) => {
    const time = new Date(Date.now() - 60 * minute).toISOString()
    const { page, proxy } = await open(t, `/infrastructure/networks?as_of=${time}`)
    const notice = page.getByRole('region', { name: 'Time' })
    await notice.waitFor()
    await page.getByRole('link', { name: 'Hosts', exact: true }).click()
    await page.waitForURL(/hosts\?as_of=/)
    await notice.waitFor()
    await proxy.stop()
    await page.getByRole('link', { name: 'Servers', exact: true }).first().click()
    await page.getByRole('alert').first().waitFor()
    await proxy.restart()
    await page.goto(`/console/servers?as_of=${time}`)
    await page.getByRole('link', { name: 'web-02', exact: true }).waitFor()
  })
})
