import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

const focused = `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent`

describe('dialogs and keyboard', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  test('closing a dialog in any way restores the focus', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/me/keys')
    const opener = page.getByRole('button', { name: 'Create access key' })
    const dialog = page.getByRole('dialog', { name: 'Create access key' })
    const ways = [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.mouse.click(5, 5),
    ]
    for (const close of ways) {
      await opener.press('Enter')
      await dialog.waitFor()
      await close()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await page.evaluate(focused), 'Create access key')
    }
    await page.getByRole('button', { name: /^Logged in as olga/ }).press('Enter')
    // An open menu takes the focus, which must not happen after the test has moved it.
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).press('Enter')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(focused), 'Logged in as olga')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(focused), 'Logged in as olga')
  })

  test('dragging out of a dialog, such as when selecting text, does not close it', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/me/keys')
    await page.getByRole('button', { name: 'Create access key' }).click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await name.fill('half typed')
    const box = await name.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 20, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    assert.equal(await name.inputValue(), 'half typed')
    await page.mouse.click(5, 5)
    await name.waitFor({ state: 'detached' })
  })

  test('single-key shortcuts can be switched off and stay off', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/me/keys')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('?')
    await help.getByLabel('Single-key shortcuts').uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await help.count(), 0)
    assert.equal(new URL(page.url()).pathname, '/console/me/keys')
    await page.getByRole('button', { name: /^Logged in as olga/ }).click()
    await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).click()
    await help.getByLabel('Single-key shortcuts').check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL('**/console/locations')
  })
})
