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

    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('row').filter({ hasText: 'backup job' }).waitFor()
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'backup job' }).waitFor()
    assert.ok(!(await page.content()).includes(secret))
  })

  test('a user restricts an access key, and the list of keys says how', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/me/keys')
    await page.getByRole('button', { name: 'Create access key' }).click()
    const form = page.getByRole('dialog', { name: 'Create access key' })
    await form.getByLabel('Name').fill('dashboard')
    await form.getByRole('radio', { name: 'Read, and perform some actions' }).check()
    await form.getByRole('checkbox', { name: 'restart' }).check()
    await form.getByRole('checkbox', { name: 'Roles elsewhere' }).check()
    await form.getByLabel('Accepted from').fill('10.1.2.3/8')
    await form.getByRole('button', { name: 'Create access key' }).click()
    await form.getByText('Did you mean 10.0.0.0/8?').waitFor()
    await form.getByLabel('Accepted from').fill('10.0.0.0/8 ::1')
    await form.getByRole('button', { name: 'Create access key' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new access key' })
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'dashboard' })
    await row.getByText('Only: restart').waitFor()
    await row.getByText('From 10.0.0.0/8, ::1/128').waitFor()
  })

  test('an admin creates a service account with an owner, and a key for it', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/identity/users')
    await page.getByRole('button', { name: 'Create service account' }).click()
    const form = page.getByRole('dialog', { name: 'Create service account' })
    await form.getByLabel('Name').fill('nightly-backup')
    await form.getByLabel('Owner').selectOption({ label: `${fleet.owner.name} · Default` })
    await form.getByLabel('Purpose').fill('Backups')
    assert.equal(await form.getByLabel('Password').count(), 0)
    await form.getByRole('button', { name: 'Create service account' }).click()
    await page.getByRole('heading', { name: 'nightly-backup' }).waitFor()
    await page.getByRole('link', { name: fleet.owner.name }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Password link' }).count(), 0)

    const [account, project] = await Promise.all([
      testConsole.admin.get<{ users: { id: string }[] }>('listUsers', {
        query: 'name=nightly-backup',
      }),
      testConsole.admin.get<{ projects: { id: string }[] }>('listProjects', { query: 'name=web' }),
    ])
    const roles = await testConsole.admin.get<{ roles: { id: string }[] }>('listRoles', {
      query: 'name=project_viewer',
    })
    const path = {
      id: project.projects[0]?.id ?? '',
      user_id: account.users[0]?.id ?? '',
      role_id: roles.roles[0]?.id ?? '',
    }
    await testConsole.admin.get('grantProjectUserRole', { path })
    await page.reload()
    await page.getByRole('button', { name: 'Create access key' }).click()
    const key = page.getByRole('dialog', { name: 'Create access key' })
    await key.getByLabel('Name').fill('backup key')
    await key.getByLabel('Project').selectOption({ label: 'web' })
    await key.getByRole('button', { name: 'Create access key' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new access key' })
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('row').filter({ hasText: 'backup key' }).waitFor()

    await page.goto('/console/identity/users?only=programs')
    await page.getByRole('row').filter({ hasText: 'nightly-backup' }).waitFor()
    assert.equal(await page.getByRole('row').filter({ hasText: fleet.owner.name }).count(), 0)
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
    const row = page.getByRole('row').filter({ hasText: 'brand-new' }).first()
    await row.waitFor()
    assert.match(await row.innerText(), /Create\s+project brand-new\s+Done/)

    const figure = page.getByRole('figure')
    await figure.getByText(/^\d+ events since /).waitFor()
    const bars = figure.locator('a')
    assert.equal(await bars.count(), 31)
    await bars.last().click()
    await page.waitForURL(/since=.*before=/)
    await row.waitFor()
    await bars.nth(23).waitFor({ state: 'attached' })
    assert.equal(await bars.count(), 24)
  })

  test('an admin gives a new person access, who sets a password with a link and sees the project', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    const { projects } = await testConsole.admin.get<{ projects: { id: string }[] }>(
      'listProjects',
      { query: 'name=web' },
    )
    await page.goto(`/console/identity/projects/${projects[0]?.id}`)
    await page.getByRole('button', { name: 'Give access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'A new person' }).check()
    await dialog.getByLabel('User name').fill('nora')
    await dialog.getByRole('radio', { name: /^Viewer/ }).check()
    await dialog.getByRole('button', { name: 'Give access' }).click()
    const shown = page.getByRole('dialog', { name: 'Link for nora' })
    await shown.waitFor()
    const [link = ''] = /https?:\/\/\S+/.exec(await shown.innerText()) ?? []
    await page.keyboard.press('Escape')
    await shown.getByText('Copy it first').waitFor()
    assert.ok((await shown.innerText()).includes(link), 'one Escape loses nothing')
    await shown.getByRole('button', { name: /copied/ }).click()
    await page.getByRole('row').filter({ hasText: 'nora' }).getByText('project_viewer').waitFor()

    const { page: hers } = await testConsole.visit(t)
    const sent: string[] = []
    hers.on('request', (request) => sent.push(request.url()))
    await hers.goto(link)
    await hers.getByLabel('New password', { exact: true }).waitFor()
    await hers.reload()
    await hers.getByLabel('New password', { exact: true }).fill('tussocky moorland')
    assert.equal(new URL(hers.url()).hash, '', 'the secret is not in the history')
    await hers.getByLabel(/^Repeat/).fill('tussocky moorland')
    await hers.getByRole('button', { name: 'Set password and log in' }).click()
    await hers.getByRole('button', { name: 'nora' }).first().waitFor()
    const secret = new URL(link).hash.slice(1)
    assert.match(secret, /^mpl1_/)
    assert.ok(sent.every((url) => !url.includes(secret)))
    const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'
    assert.ok(!(await hers.evaluate<string>(stored)).includes(secret))
    await hers.goto('/console/servers')
    await hers.getByRole('row').nth(1).waitFor()

    const { page: again } = await testConsole.visit(t)
    await again.goto(link)
    await again.getByLabel('New password', { exact: true }).fill('another moorland')
    await again.getByLabel(/^Repeat/).fill('another moorland')
    await again.getByRole('button', { name: 'Set password and log in' }).click()
    await again.getByText(/^The link is invalid/).waitFor()
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
    assert.match((await create.getAttribute('title')) ?? '', /Viewer/)
    await page.goto('/console/activity')
    await page.getByText('Your roles only show your own activity').waitFor()
  })
})
