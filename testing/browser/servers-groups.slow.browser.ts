import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { ServerStatistics } from '@muster/contract'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { groupFields, groupTerm } from '../../console/src/servers/grouping.ts'
import type { ServerFacts } from '../../server/src/domain/inventory/server-facts.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { examine } from './examine.ts'
import { countIs, filterOf, searchOf } from './server-list.ts'
import { createSmallFleet, sizes, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

const hour = 3_600_000
const total = sizes.web + 1

/** The texts of the groups, in their order. */
const groupsIn = async (page: Page) => {
  await page.locator('tbody button[aria-expanded]').first().waitFor()
  return (await page.locator('tbody tr:has(button[aria-expanded])').allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' '),
  )
}

const group = (page: Page, name: string) =>
  page.locator('tbody button[aria-expanded]').getByText(name, { exact: true })

const links = (page: Page) => page.locator('tbody a[href*="/servers/"]')

/** What the row of a group has to say about these servers. */
function sumsOf(name: string, servers: readonly ServerFacts[]): string {
  const sum = (valueOf: (server: ServerFacts) => number | undefined) =>
    servers.reduce((before, server) => before + (valueOf(server) ?? 0), 0)
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`
  const running = sum(({ status }) => (status === 'running' ? 1 : 0))
  const vcpus = sum(({ vcpu_count }) => vcpu_count)
  const memory = sum(({ vmem_size }) => vmem_size) / 1024
  return `${name} ${count} ${running} running ${vcpus} vCPUs ${memory} GB`
}

describe('groups of the server list', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  let servers: readonly ServerFacts[] = []
  let ago = 2 * hour
  before(async () => {
    testConsole = await startConsole(lifetime, { clock: () => Date.now() - ago })
    fleet = await createSmallFleet(testConsole)
    const { inventory } = testConsole.platform
    const [pattern] = fleet.servers
    assert.ok(pattern)
    const bare = {
      ...pattern,
      id: '00000000-0000-4000-8000-000000000998',
      name: 'web-98',
      region: '',
      tags: {},
    }
    await inventory.recordServers({ present: [bare], gone: [] })
    servers = [...fleet.servers.filter(({ name }) => name.startsWith('web')), bare]
    ago = 0
    // An hour ago it was in its first region.
    await inventory.recordServers({ present: [{ ...pattern, region: 'moved' }], gone: [] })
    servers = servers.map((server) =>
      server.id === pattern.id ? { ...server, region: 'moved' } : server,
    )
  })

  async function open(
    t: Parameters<TestConsole['visit']>[0],
    search: string,
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const { page } = await testConsole.visit(t, fleet.owner, { bypassCSP: true, ...options })
    await page.goto(`/console/servers${search}`)
    return page
  }

  const inRegion = (region: string) => servers.filter((server) => server.region === region)

  test('have the sums of their servers, those without a value too, under every filter', async (t) => {
    const page = await open(t, '?sort=name')
    await page.getByRole('button', { name: 'Group by' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Region' }).click()
    assert.deepEqual(await groupsIn(page), [
      sumsOf('eu-central-1', inRegion('eu-central-1')),
      sumsOf('rack-2', inRegion('rack-2')),
      sumsOf('Unknown', inRegion('')),
      sumsOf('moved', inRegion('moved')),
    ])
    await countIs(page, `${total} servers`)
    for (const [name, region] of [
      ['rack-2', 'rack-2'],
      ['Unknown', ''],
    ] as const) {
      await group(page, name).click()
      const names = inRegion(region).map((server) => server.name)
      await links(page)
        .nth(names.length - 1)
        .waitFor()
      assert.deepEqual(await links(page).allInnerTexts(), names)
      if (region !== '') await group(page, name).click()
    }

    await group(page, 'rack-2').click()
    await filterOf(page).pressSequentially('status:ready ')
    await countIs(page, `6 of ${total} servers`)
    const ready = (region: string) => inRegion(region).filter(({ status }) => status === 'ready')
    const expected = [
      sumsOf('eu-central-1', ready('eu-central-1')),
      sumsOf('rack-2', ready('rack-2')),
    ]
    const isFiltered = async () => {
      await links(page).filter({ hasText: 'web-03' }).waitFor({ state: 'detached' })
      await links(page).nth(1).waitFor()
      assert.deepEqual(await groupsIn(page), expected)
      assert.deepEqual(await links(page).allInnerTexts(), ['web-12', 'web-24'])
    }
    await isFiltered()
    await page.reload()
    await isFiltered()
    assert.deepEqual(searchOf(page), {
      q: 'status:ready',
      sort: 'name',
      group_by: 'region',
      open: '-region:* region:rack-2',
    })
    await page.goBack()
    await countIs(page, `${total} servers`)
    assert.equal(await page.locator('tbody button[aria-expanded]').count(), 0)
    await page.goForward()
    await isFiltered()
  })

  test('have terms that match exactly their servers', async () => {
    for (const groupBy of [...groupFields, 'os_type', 'status', 'metadata.env', 'metadata.none']) {
      const { groups } = await testConsole.admin.get<ServerStatistics>('getServerStatistics', {
        query: `scope=system&group_by=${groupBy}`,
      })
      for (const { value, count } of groups[groupBy] ?? []) {
        const q = groupTerm(groupBy, value === null ? null : String(value))
        const { total: matching } = await testConsole.admin.get<{ total: number }>('listServers', {
          query: new URLSearchParams({ scope: 'system', limit: '0', q }).toString(),
        })
        assert.equal(matching, count, q)
      }
    }
    // No server is in these groups.
    for (const field of groupFields.filter((name) => name !== 'region')) {
      const q = groupTerm(field, '')
      const { total: matching } = await testConsole.admin.get<{ total: number }>('listServers', {
        query: new URLSearchParams({ scope: 'system', limit: '0', q }).toString(),
      })
      assert.equal(matching, 0, q)
    }
  })

  test('lead to all their servers, as a filter', async (t) => {
    const page = await open(t, '?group_by=project&q=vcpu>=1&open=project:web')
    await page.getByRole('button', { name: `Show all ${total} servers of web` }).click()
    await countIs(page, `${total} servers`)
    assert.deepEqual(searchOf(page), { q: 'vcpu>=1 project:web' })
    await page.goBack()
    assert.equal((await groupsIn(page)).length, 1)
    assert.equal(await links(page).count(), 20)
  })

  test('are reached and opened with the keyboard, like servers', async (t) => {
    const page = await open(t, '?group_by=os_name&sort=name')
    await groupsIn(page)
    const focused = page.locator('tbody tr:focus')
    await page.keyboard.press('j')
    await focused.filter({ hasText: 'CentOS 7.9' }).waitFor()
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await focused.filter({ hasText: 'Windows Server 2022' }).waitFor()
    await page.keyboard.press('Enter')
    await links(page).first().waitFor()
    await page.keyboard.press('j')
    await focused.filter({ hasText: 'web-05' }).waitFor()
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**panel=${fleet.servers[4]?.id}**`)
    await page.keyboard.press('k')
    await focused.filter({ hasText: 'Windows Server 2022' }).waitFor()
    await page.keyboard.press('Enter')
    await links(page).first().waitFor({ state: 'detached' })
  })

  test('by a tag are saved in a view', async (t) => {
    const page = await open(t, '')
    await page.getByRole('button', { name: 'Group by' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Tag…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Group by a tag' })
    await dialog.locator('option[value=env]').waitFor({ state: 'attached' })
    await dialog.getByLabel('Key').fill('a=b')
    assert.deepEqual(await examine(page, 'tag', 'dialog'), [])
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Key').fill('env')
    await page.keyboard.press('Enter')
    const tagged = (value: string | undefined) =>
      servers.filter(({ tags }) => tags?.['env'] === value)
    const expected = [
      sumsOf('prod', tagged('prod')),
      sumsOf('test', tagged('test')),
      sumsOf('Without this tag', tagged(undefined)),
    ]
    assert.deepEqual(await groupsIn(page), expected)
    await group(page, 'Without this tag').click()
    await links(page).filter({ hasText: 'web-98' }).waitFor()
    assert.equal(await links(page).count(), 1)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('By environment')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**view=**')
    await page.goto('/console/servers')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'By environment' }).click()
    assert.deepEqual(await groupsIn(page), expected)
    await page.getByRole('button', { name: 'By env', exact: true }).waitFor()
  })

  test('of the past are those of then', async (t) => {
    const asOf = new Date(Date.now() - hour).toISOString()
    const page = await open(t, `?group_by=region&sort=name&open=region:eu-central-1&as_of=${asOf}`)
    await links(page).first().waitFor()
    assert.equal((await groupsIn(page)).length, 3)
    assert.match((await groupsIn(page))[0] ?? '', /^eu-central-1 16 servers/)
    assert.equal(await links(page).first().innerText(), 'web-01')
  })

  test('are shown on a phone, in Chinese, and without violations of axe', async (t) => {
    const path = '?group_by=metadata.env&open=-tag:env'
    const page = await open(t, path)
    await links(page).first().waitFor()
    assert.deepEqual(await examine(page, 'groups'), [])
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, locale: 'zh-CN' }
    const small = await open(t, path, phone)
    await links(small).first().waitFor()
    assert.match((await groupsIn(small))[2] ?? '', /^无此标签 1 台服务器 1 台运行中 2 个 vCPU/)
    assert.deepEqual(await examine(small, 'groups on a phone'), [])
    const right = await small
      .locator('tbody tr span')
      .evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)))
    assert.ok(right <= 390, `${right}`)
  })
})
