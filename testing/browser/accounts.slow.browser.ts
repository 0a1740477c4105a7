import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { awsKind } from '../../server/src/sources/aws/aws-kind.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

describe('accounts', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let accountId = ''
  before(async () => {
    testConsole = await startConsole(lifetime)
    await testConsole.identities.addProject('home')
    await testConsole.identities.addProject('studio')
  })

  test('an account that fails is told where its servers would be', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    const project_id = await testConsole.identities.addProject('first')
    const { body } = await testConsole.admin.call<{ cloudaccount: { id: string } }>(
      'createCloudAccount',
      {
        body: {
          cloudaccount: {
            name: 'only',
            provider: 'OneCloud',
            project_id,
            address: 'qemu+unix:///system?socket=/nowhere',
          },
        },
      },
    )
    const { id } = body.cloudaccount
    await page.goto('/console/')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText(/socket \/nowhere/).waitFor()
    await attention.getByRole('link', { name: 'only' }).waitFor()
    assert.equal(await page.getByText('appear after the first sync.').count(), 0)
    await page.goto('/console/servers')
    const main = page.getByRole('main')
    await main.getByText(/sync failed\. .*socket \/nowhere/).waitFor()
    assert.equal(await main.getByRole('link', { name: 'Attach account' }).count(), 0)
    await main.getByRole('link', { name: 'only' }).click()
    await page.getByRole('heading', { name: 'only', level: 1 }).waitFor()
    await testConsole.admin.call('deleteCloudAccount', { path: { id }, query: 'evict=true' })
  })

  test('an admin tests an account, attaches it and sees its servers appear', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/accounts')
    await page.getByRole('heading', { name: 'No accounts yet' }).waitFor()
    await page.getByRole('link', { name: 'Attach account' }).first().click()
    await page.getByRole('link', { name: /Simulator/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('made-up')
    await page.getByLabel('Default project').selectOption({ label: 'home' })
    await page.getByRole('textbox', { name: /^Servers/ }).fill('60')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Test passed').waitFor()
    const { cloudaccounts } = await testConsole.admin.get<{ cloudaccounts: unknown[] }>(
      'listCloudAccounts',
    )
    assert.deepEqual(cloudaccounts, [])

    await page.getByRole('button', { name: 'Attach account' }).click()
    await page.getByRole('heading', { name: 'made-up', level: 1 }).waitFor()
    accountId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByText('Connected').first().waitFor()
    const shown = await eventually('its servers are shown', async () => {
      const text = await page.getByRole('main').innerText()
      return /\b60\b/.test(text) && text
    })
    assert.match(shown, /made-up/)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('row').filter({ hasText: 'made-up' }).getByText('60').first().waitFor()
  })

  test('a failed test is told beside its field, and repeated before it is attached anyway', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/accounts/new?provider=OneCloud')
    await page.getByLabel('Name', { exact: true }).fill('nowhere')
    await page.getByLabel('Default project').selectOption({ label: 'home' })
    const address = page.getByRole('textbox', { name: 'Address' })
    const attach = page.getByRole('button', { name: 'Attach account' })
    const dialog = page.getByRole('dialog', { name: 'Save with a failed test?' })
    for (const [typed, reason] of [
      ['qemu+unix:///system?socket=/nowhere', /Test failed: .*\/nowhere/],
      // Refused before anything is contacted.
      ['gopher://example.org', /Address .*qemu/],
    ] as const) {
      await address.fill(typed)
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByText('Test failed', { exact: true }).waitFor()
      const beside = await address.getAttribute('aria-describedby')
      const texts = await Promise.all(
        (beside ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()),
      )
      assert.match(texts.join(' '), reason)
      assert.equal(await address.getAttribute('aria-invalid'), 'true')
      await attach.click()
      const said = await dialog.innerText()
      assert.match(said, typed.startsWith('qemu') ? reason : /qemu/)
      await dialog.getByRole('button', { name: 'Attach anyway' }).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    }
    assert.doesNotMatch(await page.getByRole('main').innerText(), /[.。]\./)
    await address.fill('qemu:///system')
    assert.notEqual(await address.getAttribute('aria-invalid'), 'true')
  })

  test('the attach form has the least permissions for the chosen access to copy', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/console/accounts/new?provider=Aws')
    await page
      .getByRole('button', { name: 'Copy: IAM policy of the access key', exact: true })
      .click()
    await page.getByText('Copied').waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    assert.equal(copied, awsKind.rights[0]?.text)
    const toAct = page.getByText(awsKind.acting?.rights[0]?.title ?? '', { exact: true })
    assert.equal(await toAct.count(), 0)
    await page.getByRole('combobox', { name: 'Access' }).selectOption({ label: 'Read and act' })
    await toAct.waitFor()
  })

  test('only secrets are masked', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/accounts/new?provider=Aws')
    const id = page.getByLabel('Access key ID')
    const secret = page.getByLabel('Secret access key', { exact: true })
    assert.equal(await id.getAttribute('type'), 'text')
    assert.equal(await secret.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show Secret access key' }).click()
    assert.equal(await secret.getAttribute('type'), 'text')
  })

  test('an account that fails is listed first, with the reason and what to correct', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    const { cloudaccount: made } = await testConsole.admin.get<{
      cloudaccount: { project_id: string }
    }>('getCloudAccount', { path: { id: accountId } })
    const { cloudaccount } = await testConsole.admin.get<{ cloudaccount: { id: string } }>(
      'createCloudAccount',
      {
        body: {
          cloudaccount: {
            name: 'zz-broken',
            provider: 'OneCloud',
            project_id: made.project_id,
            address: 'qemu+unix:///system?socket=/nowhere',
          },
        },
      },
    )
    t.after(() =>
      testConsole.admin.call('deleteCloudAccount', { path: cloudaccount, query: 'evict=true' }),
    )
    await page.goto('/console/accounts')
    const first = page.getByRole('row').nth(1)
    await first
      .filter({ hasText: 'zz-broken' })
      .getByText(/socket \/nowhere/)
      .waitFor()
    await first.getByText(/^for \d+ (second|minute)/).waitFor()
    await page.getByRole('link', { name: 'zz-broken', exact: true }).click()
    const syncs = page.getByRole('table', { name: 'Last syncs' })
    await syncs.getByText('Failed', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: /^Check the address and the network/ }).click()
    const address = page.getByRole('textbox', { name: 'Address' })
    await page.getByText(/^.*The last sync failed: .*\/nowhere/).waitFor()
    assert.equal(await address.getAttribute('aria-invalid'), 'true')
    await address.fill('qemu:///system')
    assert.equal(await address.getAttribute('aria-invalid'), null)
  })

  test('mapping rules have a preview before they are saved', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto(`/console/accounts/${accountId}?tab=rules`)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Server name').fill('*')
    await page.getByLabel('Assign to project').selectOption({ label: 'studio' })
    await page.getByRole('button', { name: 'Done' }).click()
    const save = page.getByRole('button', { name: /^Save rules/ })
    assert.equal(await save.getAttribute('aria-disabled'), 'true')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText('60 of 60 servers would change project').waitFor()
    await page.getByRole('heading', { name: 'Effect of the rules' }).waitFor()
    await save.click()
    await page.getByText('Rules saved').waitFor()
    await eventually('the servers have moved', async () => {
      const { servers } = await testConsole.admin.get<{ servers: { project: string }[] }>(
        'listServers',
        {
          query: 'scope=system&details=true&limit=100',
        },
      )
      return servers.length > 0 && servers.every(({ project }) => project === 'studio')
    })
  })

  test('an account is synced on request, and the activity log shows by whom', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto(`/console/accounts/${accountId}`)
    await page.getByRole('button', { name: /Sync now/ }).click()
    await page.getByText('Sync of made-up requested').waitFor()
    await page.goto('/console/activity')
    await page.getByRole('row').filter({ hasText: 'made-up' }).first().waitFor()
  })

  test('an account warns of missing servers, and an admin confirms their removal', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    // Other servers instead of the previous ones.
    const cloudaccount = { options: { servers: 5, seed: 9 } }
    await testConsole.admin.get('updateCloudAccount', {
      path: { id: accountId },
      body: { cloudaccount },
    })
    await page.goto('/console/accounts')
    await page.getByText(/^60 servers are suddenly missing · removed at /).waitFor()
    await page.getByRole('link', { name: 'made-up', exact: true }).click()
    const warnings = page.getByRole('list', { name: 'Warnings' })
    await warnings.getByText(/Removed at /).waitFor()
    await page.getByRole('button', { name: 'Remove missing servers now' }).click()
    await page.getByRole('button', { name: 'Remove 60 servers' }).click()
    await page.getByText('Removing the missing servers of made-up').waitFor()
    await warnings.waitFor({ state: 'detached' })
    await eventually('they are gone', async () => {
      const { total } = await testConsole.admin.get<{ total: number }>('listServers', {
        query: 'scope=system',
      })
      return total === 5
    })
  })

  test('an account warns of servers that another one holds, and an admin claims them', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    const { cloudaccount: made } = await testConsole.admin.get<{
      cloudaccount: { project_id: string }
    }>('getCloudAccount', { path: { id: accountId } })
    const cloudaccount = {
      name: 'twin',
      provider: 'Simulator',
      project_id: made.project_id,
      options: { servers: 5, seed: 9 },
    }
    const { cloudaccount: twin } = await testConsole.admin.get<{ cloudaccount: { id: string } }>(
      'createCloudAccount',
      { body: { cloudaccount } },
    )
    await page.goto(`/console/accounts/${twin.id}`)
    await page.getByText('5 servers have another account, too').waitFor()
    await page.getByRole('button', { name: 'Claim servers' }).click()
    const dialog = page.getByRole('dialog', { name: 'Claim servers for twin' })
    const preview = dialog.getByRole('list', { name: 'Preview' })
    await preview.getByText('5 will move to this account').click()
    // A search narrows it.
    const { servers } = await testConsole.admin.get<{ servers: { name: string }[] }>(
      'listServers',
      { query: 'scope=system' },
    )
    const [{ name } = { name: '' }] = servers
    assert.ok((await preview.innerText()).includes(name))
    await dialog.getByLabel('Only servers that match').fill(`name:${name}`)
    await dialog.getByRole('button', { name: 'Claim 1 server' }).click()
    await page.getByText('The servers now belong to twin').waitFor()
    const { total } = await testConsole.admin.get<{ total: number }>('listServers', {
      query: `scope=system&account=${twin.id}`,
    })
    assert.equal(total, 1)
  })
})
