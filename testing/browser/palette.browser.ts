import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/src/testing/eventually.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

describe('the palette', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  async function open(page: Page, text: string) {
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: /^Search everything/ })
    await palette.getByRole('combobox').fill(text)
    return palette
  }

  test('tells who has an address', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const palette = await open(page, '10.4.1.13')
    await palette.getByRole('option', { name: /^10\.4\.1\.13 ?web-13 · web/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'web-13', level: 1 }).waitFor()
  })

  test('begins with what was opened or visited last, while the user may see it', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    const [kept, moved] = fleet.servers
    assert.ok(kept && moved)
    const stored = () => page.evaluate<string>('JSON.stringify(localStorage)')
    for (const path of [`/servers/${kept.id}/network`, `/servers?panel=${moved.id}`, '/activity']) {
      await page.goto(`/console${path}`)
      const address = path.replace('?panel=', '/').replace('/network', '')
      await eventually('it is remembered', async () => (await stored()).includes(address))
    }
    // The page that is shown is not one of them.
    await page.goto('/console/activity')
    const names = async () => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      const palette = await open(page, '')
      await palette.locator('[role=listbox][aria-busy=false]').waitFor()
      return (await palette.getByRole('option').allInnerTexts()).slice(0, 3)
    }
    const [first, second, third] = await names()
    assert.match(first ?? '', /^web-02/)
    assert.match(second ?? '', /^web-01/)
    assert.match(third ?? '', /^Overview/)
    assert.doesNotMatch(await stored(), /web-0/)

    const project_id = await testConsole.identities.addProject('of others')
    await testConsole.platform.inventory.recordServers({
      present: [{ ...moved, project_id }],
      gone: [],
    })
    await page.reload()
    assert.match((await names())[0] ?? '', /^web-01/)
  })

  test('asks before it stops a server', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const palette = await open(page, 'stop a server')
    await palette.getByRole('option', { name: 'Stop a server…' }).click()
    const box = palette.getByRole('combobox')
    assert.equal(await box.inputValue(), 'Stop ')
    await box.pressSequentially('web-07')
    await palette.getByRole('option', { name: /^Stop web-07…/ }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Stop web-07' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('switches the project, and finds projects, people and pages', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const palette = await open(page, 'switch db')
    await palette.getByRole('option', { name: /^Switch to project db/ }).click()
    await page.getByText('Switched to db').waitFor()

    const { page: own } = await testConsole.visit(t, admin)
    await own.goto('/console/')
    await own.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    for (const [text, name, heading] of [
      ['olga', /^olga/, 'olga'],
      ['web', /^web$/, 'web'],
      ['attach', /^Attach account/, 'Attach account'],
    ] as const) {
      const found = await open(own, text)
      await found.getByRole('option', { name }).click()
      await own.getByRole('heading', { name: heading, level: 1 }).waitFor()
    }
  })
})
