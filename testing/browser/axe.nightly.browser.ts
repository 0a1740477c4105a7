import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { inventoryKinds } from '@muster/contract'
import type { Page } from 'playwright-core'
import { sampleInputs } from '../../server/src/testing/lanes.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { examine } from './examine.ts'
import { settle } from './settle.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

/** Opened elements. The page around them is checked separately. */
const opened =
  'dialog[open], [popover]:popover-open, form, [role=search], [role=region], section[data-open]'

async function editServer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByRole('dialog').waitFor()
}

/** Renames the server, so that the drawer shows a task. */
async function actOnServer(page: Page): Promise<void> {
  await editServer(page)
  await page.getByLabel('Name', { exact: true }).fill(`renamed-${page.viewportSize()?.width}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Running and recent tasks' }).waitFor()
}

async function startBatch(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Select all/ }).click()
  await page.getByRole('button', { name: 'Restart', exact: true }).click()
  await page.getByRole('list', { name: 'Preview' }).waitFor()
}

/** Servers, projects, people and more in the palette. */
async function findAll(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('de')
  await page.getByRole('option', { name: /^demo-owner/ }).waitFor()
}

/** The changes of a project. */
const openChanges = (page: Page) => page.locator('main h3 button[aria-expanded]').first().click()

/** A path, a name, and what to open on the page. */
type Scene = readonly [path: string, name: string, open?: (page: Page) => Promise<unknown>]

describe('WCAG 2.2 AA rules of axe', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  const scenes: Scene[] = []
  before(async () => {
    testConsole = await startConsole(lifetime, { flags: ['--demo', '--demo-servers=200'] })
    const { servers } = await testConsole.admin.get<{
      servers: { id: string; host_id: string; account_id: string }[]
    }>('listServers', {
      query: 'scope=system&limit=1&details=true&status=running&filter=host_id.isnotempty()',
    })
    const { cloudaccounts } = await testConsole.admin.get<{ cloudaccounts: { id: string }[] }>(
      'listCloudAccounts',
    )
    const project = await testConsole.admin.get<{ projects: { id: string }[] }>('listProjects', {
      query: 'limit=1',
    })
    const server = servers[0]?.id ?? ''
    await testConsole.admin.call('updateCloudAccount', {
      path: { id: servers[0]?.account_id ?? '' },
      body: { cloudaccount: { access: 'manage' } },
    })
    const account = cloudaccounts[0]?.id ?? ''
    const host = servers[0]?.host_id ?? ''
    const button = (name: string | RegExp) => (page: Page) =>
      page.getByRole('button', { name }).first().click()
    scenes.push(
      ['/', 'overview'],
      ['/?by=project', 'overview by project'],
      ['/checks', 'checks'],
      ['/compare', 'compare'],
      ['/servers?as_of=-1m', 'past'],
      ['/infrastructure/hosts?as_of=-1m', 'past hosts'],
      ['/checks/c0000000000000000000000000000001', 'check'],
      ['/servers?q=status%3Arunning', 'servers'],
      ['/servers', 'columns', button('Columns')],
      ['/servers', 'views', button('Views')],
      ['/servers', 'export', button('Export')],
      ['/servers', 'suggestions', (page) => page.getByRole('combobox').first().fill('status:')],
      ['/servers', 'palette', (page) => page.keyboard.press('Control+k')],
      ['/servers', 'found in palette', findAll],
      ['/servers', 'help', (page) => page.keyboard.press('?')],
      ['/servers', 'look', button('Theme')],
      ['/servers', 'user', button(/sysadmin/)],
      ['/servers', 'switcher', (page) => page.locator('header [aria-haspopup=dialog]').click()],
      ['/servers?q=nothing-is-called-so', 'no match'],
      [`/servers?panel=${server}`, 'panel'],
      ...[
        '',
        '/network',
        '/disks',
        '/security',
        '/devices',
        '/tags',
        '/history',
        '/tasks',
        '/json',
      ].map((part): Scene => [`/servers/${server}${part}`, `server${part}`]),
      [`/servers/${server}/tags`, 'new tag', button('Add tag')],
      [`/servers/${server}`, 'actions', button('More actions')],
      [`/servers/${server}`, 'edit', editServer],
      [`/servers/${server}`, 'drawer', actOnServer],
      ['/servers?q=status%3Arunning', 'selection', button(/^Select all/)],
      ['/servers?q=status%3Arunning', 'batch', startBatch],
      ['/servers?bin=true', 'recycle bin'],
      ['/tasks', 'tasks'],
      ['/tasks?view=batches&status=failed', 'batches'],
      ['/servers/no-such-server', 'no server'],
      ['/changes', 'changes'],
      ['/changes?since=-24h', 'changes of a project', openChanges],
      ['/changes', 'kinds of changes', button('All kinds')],
      ['/changes?q=nothing-is-called-so', 'no changes'],
      ...inventoryKinds.map((kind): Scene => [`/infrastructure/${kind}`, kind]),
      [`/infrastructure/hosts/${host}`, 'host'],
      ['/infrastructure/hosts/no-such-host', 'no host'],
      ['/locations', 'locations'],
      ['/accounts', 'accounts'],
      ['/accounts/new', 'new account'],
      ['/accounts/new?provider=Aws', 'new AWS account'],
      ['/accounts/new?provider=Aws', 'new AWS account, wrong', button('Attach account')],
      [`/accounts/${account}`, 'account'],
      [`/accounts/${account}?tab=rules`, 'rules'],
      [`/accounts/${account}?tab=settings`, 'settings'],
      ...['projects', 'domains', 'users', 'groups', 'roles', 'policies', 'identity_providers'].map(
        (kind): Scene => [`/identity/${kind}`, kind],
      ),
      ['/identity/projects', 'new project', button(/^Create/)],
      ['/identity/identity_providers', 'new identity provider', button(/^Attach/)],
      [`/identity/projects/${project.projects[0]?.id}`, 'project'],
      [`/identity/projects/${project.projects[0]?.id}`, 'access', button('Give access')],
      ['/password#mpl1_none', 'first password'],
      ['/activity', 'activity'],
      ['/me/keys', 'keys'],
      ['/me/keys', 'new key', button('Create access key')],
      ['/me/sessions', 'sessions'],
      ['/me/factors', 'second factors'],
      ['/me/factors', 'new factor', button('Add an authenticator app')],
      ['/me/logins', 'linked logins'],
      ['/no/such/page', 'no page'],
    )
  })

  const main =
    /^(?:overview|servers|panel|server|hosts|host|account|rules|users|changes|activity|actions|batch|tasks|drawer)$/
  const mainScenes = () => scenes.filter(([, name]) => main.test(name))

  async function examineAll(page: Page, some: readonly Scene[]): Promise<string[]> {
    const found: string[] = []
    for (const [path, name, open] of some) {
      await page.goto(`/console${path}`)
      await settle(page)
      await open?.(page)
      if (open) await page.waitForTimeout(50)
      found.push(...(await examine(page, name, open ? opened : 'html')))
    }
    return found
  }

  test('no violations on pages, their dialogs and menus', async (t) => {
    const { page } = await testConsole.visit(t, admin, { bypassCSP: true })
    assert.deepEqual(await examineAll(page, sampleInputs(scenes)), [])
  })

  test('no violations on the login page', async (t) => {
    const { page } = await testConsole.visit(t, undefined, { bypassCSP: true })
    await page.goto('/console/login?why=ended')
    await page.getByRole('region', { name: 'Try the demo' }).waitFor()
    assert.deepEqual(await examine(page, 'login'), [])
  })

  test('no violations on a small screen', async (t) => {
    const viewport = { width: 360, height: 740 }
    const { page } = await testConsole.visit(t, admin, { bypassCSP: true, viewport })
    assert.deepEqual(await examineAll(page, sampleInputs(mainScenes())), [])
  })
})
