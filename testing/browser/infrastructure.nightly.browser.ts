import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ServerFacts } from '../../server/src/domain/inventory/server-facts.ts'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import type { Person } from './enter-as.ts'
import { countIs, searchOf } from './server-list.ts'
import { settle } from './settle.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

const nic = (network_id: string) => ({
  network_id,
  ip_addr: '10.4.2.17',
  ip6_addr: '',
  mac: '00:16:3e:00:00:01',
  team_with: '',
  vpc_id: 'vpc-1',
  is_exit: false,
})

/** A server on host `kvm-<host>`, in the zone and the network of the same number. */
const serverOn = (projectId: string, host: number, name: string): ServerFacts =>
  minimalServer(projectId, {
    name,
    provider: host === 3 ? 'VMware' : 'OneCloud',
    host: `kvm-${host}`,
    host_id: `host-${host}`,
    host_sn: `serial-${host}`,
    host_status: 'running',
    zone: `row-${host}`,
    zone_id: `zone-${host}`,
    region: 'berlin',
    cloudregion_id: 'region-1',
    account: 'kvm-rack',
    account_id: 'account-1',
    manager: 'rack-tenant',
    manager_id: 'manager-1',
    nics: [nic(`net-${host}`)],
  })

const kinds = ['Hosts', 'Networks', 'Disks', 'Images', 'Flavors', 'Regions', 'Zones', 'Managers']
/** The servers of this suite have none. */
const emptyKinds = new Set(['Disks', 'Images', 'Flavors'])

describe('the pages of hosts, networks, regions, zones and managers', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let viewer: Person
  let dbServer = ''
  before(async () => {
    testConsole = await startConsole(lifetime)
    const { identities, platform } = testConsole
    const web = await identities.addProject('web')
    const db = await identities.addProject('db')
    viewer = await testConsole.addUser('victor', 'project_viewer', { projectId: web }, web)
    const present = [
      serverOn(web, 1, 'web-1'),
      serverOn(web, 1, 'web-2'),
      serverOn(web, 2, 'web-3'),
      serverOn(db, 2, 'db-1'),
      serverOn(db, 3, 'db-2'),
    ]
    dbServer = present[3]?.id ?? ''
    await platform.inventory.recordServers({ present, gone: [] })
  })

  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

  const headersOf = async (page: Page) =>
    (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.replace(/\W+$/, ''))

  test('are one group of the navigation, and each is found in the palette', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/')
    await page.getByRole('link', { name: 'Infrastructure' }).click()
    await page.getByRole('heading', { name: 'Hosts', level: 1 }).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Infrastructure' })
    assert.deepEqual(await tabs.getByRole('link').allInnerTexts(), kinds)
    for (const kind of kinds) {
      await tabs.getByRole('link', { name: kind }).click()
      await page.getByRole('heading', { name: kind, level: 1 }).waitFor()
      if (!emptyKinds.has(kind)) await page.getByRole('table', { name: kind }).waitFor()
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zones')
    await page.getByRole('option', { name: /^Zones/ }).click()
    await page.getByRole('heading', { name: 'Zones', level: 1 }).waitFor()
  })

  test('show the default columns, sort, and keep filter, order and columns in the address', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/infrastructure/hosts')
    await countIs(page, '3 hosts')
    assert.deepEqual(await headersOf(page), [
      'Name',
      'Status',
      'Servers',
      'CPUs',
      'Memory',
      'Provider',
      'Account',
      'Zone',
    ])
    await page.getByRole('button', { name: 'Name' }).click()
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor()
    await rowOf(page, 'kvm-3').and(page.locator('[aria-rowindex="2"]')).waitFor()
    await page.getByRole('combobox', { name: 'Filter hosts' }).pressSequentially('prov')
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
    await options.filter({ hasText: /^provider/ }).waitFor()
    await page.keyboard.press('Tab')
    await options.filter({ hasText: 'KVM (libvirt)' }).click()
    await countIs(page, '2 of 3 hosts')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Serial number' }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('serial-2').waitFor()
    const { q, sort, columns = '' } = searchOf(page)
    assert.deepEqual([q, sort], ['provider:OneCloud', '-name'])
    assert.ok(columns.endsWith(',sn'))
    await page.reload()
    await countIs(page, '2 of 3 hosts')
    await page.getByText('serial-2').waitFor()
  })

  test('an empty result names the filter, and a rejected filter says why', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/infrastructure/zones?q=no-such-zone')
    await page.getByRole('heading', { name: 'No matching zones' }).waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await rowOf(page, 'row-1').waitFor()
    await page.goto('/console/infrastructure/zones?q=colour:red')
    await page.getByRole('alert').filter({ hasText: 'colour' }).waitFor()
  })

  test('lead to their servers, and servers lead back to them', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    const links = [
      ['hosts', 'kvm-2', 2, ''],
      ['networks', 'net-2', 2, '/network'],
      ['cloudregions', 'berlin', 5, ''],
      ['zones', 'row-2', 2, ''],
      ['cloudproviders', 'rack-tenant', 5, ''],
    ] as const
    for (const [kind, name, servers, tab] of links) {
      await page.goto(`/console/infrastructure/${kind}`)
      await rowOf(page, name)
        .getByRole('link', { name: String(servers), exact: true })
        .click()
      await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
      await countIs(page, servers === 5 ? '5 servers' : `${servers} of 5 servers`)
      await page.getByRole('link', { name: 'db-1' }).waitFor()
      await page.goto(`/console/servers/${dbServer}${tab}`)
      // The header has links of the same names, which filter servers.
      await page.getByRole('main').getByRole('link', { name, exact: true }).last().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await page.getByRole('link', { name: `Show ${servers} servers` }).click()
      await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
      await page.getByRole('link', { name: 'db-1' }).waitFor()
    }
  })

  test('show without a system role what own servers use, and of hosts only some fields', async (t) => {
    const { page } = await testConsole.visit(t, viewer)
    await page.goto('/console/infrastructure/hosts')
    await countIs(page, '2 hosts')
    assert.deepEqual(await headersOf(page), ['Name', 'Status', 'Servers', 'Zone'])
    await rowOf(page, 'kvm-2').getByRole('link', { name: '1', exact: true }).waitFor()
    await page.getByRole('link', { name: 'kvm-2', exact: true }).click()
    await page.getByRole('heading', { name: 'kvm-2', level: 1 }).waitFor()
    await settle(page)
    const labels = await page.getByRole('main').getByRole('term').allInnerTexts()
    assert.deepEqual(labels, ['ID', 'Status', 'Region', 'Zone', 'Servers'])
    await page.goto('/console/infrastructure/hosts/host-3')
    await page.getByRole('heading', { name: 'Host not found' }).waitFor()
    await page.getByText('It is not visible to you, or its account no longer reports it.').waitFor()
    await page.getByRole('link', { name: 'Show all hosts' }).click()
    await countIs(page, '2 hosts')
  })

  test('count the servers of the chosen scope, and lead to them', async (t) => {
    const { page } = await testConsole.visit(t, viewer)
    await page.goto('/console/infrastructure/cloudregions?scope=project')
    await rowOf(page, 'berlin').getByRole('link', { name: '3', exact: true }).click()
    await countIs(page, '3 servers')
    assert.deepEqual(searchOf(page), { q: 'cloudregion_id:region-1', scope: 'project' })
  })

  test('work with the keyboard', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await rowOf(page, 'kvm-1').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await page.getByRole('menuitem', { name: 'Show only this value' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'kvm-2', level: 1 }).waitFor()
  })

  test('are in Chinese too', async (t) => {
    const { page } = await testConsole.visit(t, admin, { locale: 'zh-CN' })
    await page.goto('/console/infrastructure')
    await page.getByRole('heading', { name: '宿主机', level: 1 }).waitFor()
    await page.getByText('3 个宿主机', { exact: true }).waitFor()
  })
})
