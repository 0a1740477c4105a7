import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

describe('identity in the console', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  test('a user creates an access key, sees its secret once, and logs in with it', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/me/keys')
    await page.getByRole('button', { name: 'Create access key' }).click()
    const form = page.getByRole('dialog', { name: 'Create access key' })
    await form.getByLabel('Name').fill('backup job')
    await form.getByRole('button', { name: 'Create access key' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new access key' })
    await shown.waitFor()
    const { credentials } = await testConsole.admin.get<{ credentials: { id: string }[] }>(
      'listCredentials',
    )
    const id = credentials[0]?.id ?? ''
    const secret = /cms_[\w-]+/.exec(await shown.innerText())?.[0] ?? ''
    assert.notEqual(secret, '')
    assert.ok((await shown.innerText()).includes(id))

    const commands = await shown.locator('pre').innerText()
    const { stdout } = await promisify(execFile)('bash', ['-c', commands])
    const { servers } = JSON.parse(stdout) as { servers: unknown[] }
    assert.equal(servers.length, 1, commands)

    await shown.getByRole('button', { name: 'I have copied the secret' }).click()
    await page.getByRole('row').filter({ hasText: 'backup job' }).waitFor()
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'backup job' }).waitFor()
    assert.ok(!(await page.content()).includes(secret))
  })

  test('an admin creates a project, and the activity log shows it', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/identity')
    await page.waitForURL('**/identity/projects')
    await page
      .getByRole('button', { name: /^Create/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('brand-new')
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await page.getByText('brand-new').first().waitFor()
    await page.goto('/console/activity')
    await page.getByRole('row').filter({ hasText: 'brand-new' }).first().waitFor()
  })

  test('a page without access shows the missing permission', async (t) => {
    const { page } = await testConsole.visit(t, fleet.viewer)
    await page.goto('/console/accounts')
    await page.getByRole('heading', { name: 'Accounts need a system role' }).waitFor()
    assert.match(await page.getByRole('main').innerText(), /Request id/i)
    await page.goto('/console/identity/users')
    // The role assignments of the own project; the user cannot grant roles.
    await page.getByRole('link', { name: 'olga' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'sysadmin' }).count(), 0)
    const create = page.getByRole('button', { name: /^Create user/ })
    assert.equal(await create.getAttribute('aria-disabled'), 'true')
    assert.match((await create.getAttribute('title')) ?? '', /project_viewer/)
    await page.goto('/console/activity')
    await page.getByText('Your roles only show your own activity').waitFor()
  })
})
