import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Download, Page } from 'playwright-core'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { countIs, filterOf, openServerList, searchOf } from './server-list.ts'
import { createSmallFleet, sizes, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

/** The names of the visible servers. */
async function namesIn(page: Page): Promise<string[]> {
  const links = page.locator('tbody a[href*="/servers/"]')
  return (await links.allInnerTexts()).map((name) => name.trim())
}

describe('the server list', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  const openList = (t: Parameters<TestConsole['visit']>[0], search?: string) =>
    openServerList(t, testConsole, fleet, search)

  async function readDownload(download: Download): Promise<string> {
    const path = join(testConsole.platform.folder, download.suggestedFilename())
    await download.saveAs(path)
    return readFileSync(path, 'utf8')
  }

  test('typing a filter suggests keys and values with counts, and filters the rows', async (t) => {
    const { page } = await openList(t, '?sort=name')
    await countIs(page, `${sizes.web} servers`)
    await filterOf(page).pressSequentially('stat')
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
    await options.filter({ hasText: /^status/ }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await filterOf(page).inputValue(), 'status:')
    const ready = options.filter({ hasText: 'ready' })
    await ready.waitFor()
    assert.match(await ready.innerText(), /^Stopped\s+ready\s+6$/)
    await ready.click()
    await countIs(page, `6 of ${sizes.web} servers`)
    assert.deepEqual(searchOf(page), { sort: 'name', q: 'status:ready' })
    assert.deepEqual(await namesIn(page), [
      'web-04',
      'web-08',
      'web-12',
      'web-16',
      'web-20',
      'web-24',
    ])

    await page.keyboard.type('vcpu>=8 -provider:OneCloud ')
    await countIs(page, `4 of ${sizes.web} servers`)
    await page.getByRole('button', { name: 'Remove status:Stopped' }).click()
    await countIs(page, `8 of ${sizes.web} servers`)
  })

  test('a partial IP address finds a server, and an invalid filter shows an error', async (t) => {
    const { page } = await openList(t)
    await filterOf(page).pressSequentially('4.1.17')
    await countIs(page, `1 of ${sizes.web} servers`)
    assert.deepEqual(await namesIn(page), ['web-17'])
    await filterOf(page).fill('vcpu>=many ')
    await page.getByRole('alert').filter({ hasText: 'vcpu' }).waitFor()
    await filterOf(page).press('Backspace')
    await filterOf(page).fill('nothing-is-called-so')
    await page.getByRole('heading', { name: 'No matching servers' }).waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await countIs(page, `${sizes.web} servers`)
  })

  test('a click on a value filters by it, Alt-click excludes it', async (t) => {
    const { page } = await openList(t)
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('button', { name: /^KVM/ }).click()
    await countIs(page, `8 of ${sizes.web} servers`)
    assert.deepEqual(searchOf(page), { q: 'provider:OneCloud' })
    await filters.getByRole('button', { name: /^Stopped/ }).click({ modifiers: ['Alt'] })
    await countIs(page, `6 of ${sizes.web} servers`)
    assert.deepEqual(searchOf(page), { q: 'provider:OneCloud -status:ready' })
    await page.goBack()
    await countIs(page, `8 of ${sizes.web} servers`)
    await page.goBack()
    await countIs(page, `${sizes.web} servers`)
    await page.goForward()
    await countIs(page, `8 of ${sizes.web} servers`)
  })

  test('"stopped" means the status ready, and an operating system is a filter', async (t) => {
    const { page } = await openList(t)
    await filterOf(page).pressSequentially('status:stopped ')
    await countIs(page, `6 of ${sizes.web} servers`)
    assert.deepEqual(searchOf(page), { q: 'status:ready' })
    assert.match(await page.locator('tbody').innerText(), /Stopped/)
    await page.goto('/console/servers?q=status%3Astopped&columns=name%2Cos')
    await countIs(page, `6 of ${sizes.web} servers`)
    await page.locator('td [data-filter="os_name"]', { hasText: 'CentOS 7.9' }).first().click()
    await page.getByRole('menuitem', { name: 'Show only this value' }).click()
    await countIs(page, `5 of ${sizes.web} servers`)
    assert.equal(searchOf(page)['q'], 'status:ready os_name:"CentOS 7.9"')
  })

  test('filters by other names, in other case, or by id agree with their counts', async (t) => {
    const { page } = await openList(t)
    for (const q of ['os:linux', '-os:Windows', 'account:account-aws', 'status:Ready,stopping']) {
      await page.goto(`/console/servers?q=${encodeURIComponent(q)}`)
      await countIs(page, /^\d+ of \d+ servers$/)
    }
  })

  test('sort order and columns are stored in the address, the density in the browser', async (t) => {
    const { page } = await openList(t)
    const name = page.getByRole('columnheader', { name: 'Name' })
    await name.getByRole('button').click()
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await page.waitForURL('**sort=name')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    assert.equal((await namesIn(page))[0], 'web-01')
    await name.getByRole('button').click()
    await page.waitForURL('**sort=-name')
    await page.locator('tbody tr').first().getByRole('link', { name: 'web-24' }).waitFor()

    await page.getByRole('button', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog', { name: 'Choose columns' })
    await dialog.getByRole('checkbox', { name: 'Tags' }).uncheck()
    await dialog.getByRole('checkbox', { name: 'Region', exact: true }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Region' }).waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Tags' }).count(), 0)

    const rowHeight = async () => (await page.locator('tbody tr').nth(1).boundingBox())?.height
    assert.equal(await rowHeight(), 36)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact' }).click()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Region' }).waitFor()
    await page.getByRole('link', { name: 'web-24' }).waitFor()
    assert.equal(await rowHeight(), 28)
    assert.equal(searchOf(page)['sort'], '-name')
  })

  test('a view is saved under a name and opened again', async (t) => {
    const { page } = await openList(t, '?q=status%3Aready&sort=name&columns=name,size,where')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByLabel('Name').fill('Stopped by name')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved as Stopped by name').waitFor()
    await page.waitForURL('**view=**')
    const address = page.url()

    await page.goto('/console/servers')
    await countIs(page, `${sizes.web} servers`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Stopped by name' }).click()
    await countIs(page, `6 of ${sizes.web} servers`)
    assert.equal(page.url(), address)
    assert.equal(await page.getByRole('columnheader').count(), 3)
    await page.getByRole('button', { name: 'Remove status:Stopped' }).click()
    await page.getByRole('button', { name: 'Stopped by name · edited' }).click()
    await page.getByRole('menuitem', { name: 'Delete Stopped by name' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('View deleted').waitFor()
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor()
  })

  test('an export contains all matching servers', async (t) => {
    const { page } = await openList(t, '?q=provider%3AOneCloud&sort=name&columns=name,ips')
    const fetched = async (format: string) => {
      const query = `q=provider%3AOneCloud&order_by=name&order=asc&field=name&field=ips&field=eip&details=true&scope=system&format=${format}`
      const headers = { 'x-auth-token': testConsole.admin.token }
      const answer = await fetch(`${testConsole.url}/servers?${query}`, { headers })
      // The session of the owner is in one of the two projects.
      return (await answer.text()).split(/\r?\n/).filter((line) => !line.includes('db-'))
    }
    const exported = async (name: string) => {
      await page.getByRole('button', { name: 'Export' }).click()
      const downloading = page.waitForEvent('download')
      await page.getByRole('menuitem', { name, exact: true }).click()
      return await readDownload(await downloading)
    }
    assert.deepEqual((await exported('CSV')).split(/\r?\n/), await fetched('csv'))
    assert.deepEqual((await exported('JSON Lines')).split('\n'), await fetched('ndjson'))
    const list = JSON.parse(await exported('JSON')) as { name: string }[]
    assert.deepEqual(
      list.map(({ name }) => name),
      ['web-03', 'web-06', 'web-09', 'web-12', 'web-15', 'web-18', 'web-21', 'web-24'],
    )
  })

  test('switching the project changes the rows and the session cookie', async (t) => {
    const { page, context } = await openList(t)
    const [before] = await context.cookies()
    await page.getByRole('button', { name: /web/ }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('db')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'db-01' }).waitFor()
    await countIs(page, `${sizes.db} servers`)
    assert.ok(!(await namesIn(page)).some((name) => name.startsWith('web')))
    const [after] = await context.cookies()
    assert.equal(after?.name, '__Host-muster')
    assert.notEqual(after.value, before?.value)
    const dead = await fetch(`${testConsole.url}/api/session`, {
      headers: { cookie: `${before?.name}=${before?.value}` },
    })
    assert.equal(dead.status, 401)
  })
})
