import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startApiProxy } from './api-proxy.ts'
import { enterAs } from './enter-as.ts'
import { examine } from './examine.ts'
import { watchTexts } from './seen-texts.ts'
import { settle } from './settle.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'
import { openVisit } from './visit.ts'

const day = 86_400_000
/** More than a page of changes. */
const bulk = 55

const row = (page: Page, project: string) =>
  page
    .getByRole('main')
    .getByRole('button', { name: new RegExp(`^${project} \\d`) })
    .first()
const group = (page: Page, name: string) => page.getByRole('list', { name })
const change = (page: Page, server: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: server }).last()
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe('the page of changes', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    let offset = -2 * day
    testConsole = await startConsole(lifetime, { clock: () => Date.now() + offset })
    fleet = await createSmallFleet(testConsole)
    const { recordServers } = testConsole.platform.inventory
    const sample = fleet.servers.at(-2) ?? assert.fail()
    const many = Array.from({ length: bulk }, (_, at) => ({
      ...sample,
      id: `00000000-0000-4000-8000-0000000003${at + 10}`,
      name: `bulk-${at + 10}`,
    }))
    await recordServers({ present: many, gone: [] })
    offset = 0
    const [first, second, third, ...others] = fleet.servers
    assert.ok(first && second && third)
    const gone = others.pop()?.id ?? ''
    await recordServers({
      present: [
        { ...first, status: 'ready' },
        { ...second, vcpu_count: 16, vmem_size: 8192, tags: { env: 'spare' } },
        third,
        ...others,
      ],
      gone: [gone],
    })
    const { call } = await createAdminClient(testConsole.platform)
    const { status, text } = await call('mergeServerMetadata', {
      path: { id: third.id },
      body: { metadata: { team: 'rocket' } },
    })
    assert.equal(status, 200, text)
  })

  async function open(t: Parameters<TestConsole['visit']>[0], search = '') {
    const visit = await testConsole.visit(t, admin)
    await visit.page.goto(`/console/changes${search}`)
    await settle(visit.page)
    return visit
  }

  test('says per day and project what changed, and opens to changes in words', async (t) => {
    const { page } = await open(t)
    await row(page, 'web').waitFor()
    const days = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    assert.equal(days.length, 2)
    assert.match(days[0] ?? '', /\d{4} 4 changes$/)
    assert.match(days[1] ?? '', /\d{4} 85 changes$/)
    assert.match(
      await row(page, 'web').innerText(),
      /web\s+1 resized, 1 status change, 2 tag changes$/,
    )
    assert.match(await row(page, 'db').innerText(), /db\s+1 gone$/)
    await page.getByRole('button', { name: 'web 24 appeared' }).waitFor()

    await row(page, 'web').click()
    await change(page, 'web-01').waitFor()
    const text = async (server: string) =>
      (await change(page, server).innerText()).replaceAll(/\s+/g, ' ')
    assert.match(
      await text('web-01'),
      /^\d\d:\d\d:\d\d web-01 Status before Running → after Stopped$/,
    )
    assert.match(await text('web-02'), /vCPU before 8 → after 16/)
    assert.match(await text('web-02'), /Memory before 4 GB → after 8 GB/)
    assert.match(await text('web-02'), /Source tag env before prod → after spare/)
    const through = group(page, 'Through Muster')
    assert.match(await through.innerText(), /web-03[^]*Tag team[^]*rocket/)
    assert.equal(await group(page, 'Observed').getByText('web-03').count(), 0)
    await row(page, 'db').click()
    assert.match(
      await text('db-06'),
      /db-06 Gone Running · 10\.4\.2\.6 · account-|aws-main|kvm-rack/,
    )

    await through.getByRole('link', { name: 'See who did it' }).click()
    await page.getByRole('cell', { name: 'sysadmin' }).first().waitFor()
    await page.goBack()
    await change(page, 'web-01').waitFor()
    await page.getByRole('link', { name: 'web-01' }).click()
    await page.getByRole('heading', { name: 'web-01', level: 1 }).waitFor()
  })

  test('is filtered by query, kind and period, which the address holds', async (t) => {
    const { page } = await open(t)
    await row(page, 'web').waitFor()
    await page.getByRole('button', { name: 'Kind All kinds' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Status' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Size' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^web 1 resized, 1 status change$/ }).waitFor()
    assert.deepEqual(searchOf(page), { kind: 'size,status' })
    await page.getByRole('combobox', { name: 'Filter servers' }).fill('name:web-02 ')
    await page.getByRole('button', { name: /^web 1 resized$/ }).waitFor()
    await page.getByRole('combobox', { name: 'Time range' }).selectOption('Last 24 hours')
    await row(page, 'web').click()
    await change(page, 'web-02').waitFor()
    const wanted = { q: 'name:web-02', kind: 'size,status', since: '-24h' }
    const { open: opened, ...shown } = searchOf(page)
    assert.deepEqual(shown, wanted)
    assert.match(opened ?? '', new RegExp(`^\\d{4}-\\d\\d-\\d\\d/${fleet.web}$`))

    await page.reload()
    await change(page, 'web-02').waitFor()
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('since'))
    await page.goForward()
    await page.waitForURL((url) => url.searchParams.get('since') === '-24h')
    await change(page, 'web-02').waitFor()
  })

  test('shows a long list of changes page by page', async (t) => {
    const { page } = await open(t)
    await page.getByRole('button', { name: `db ${6 + bulk} appeared` }).click()
    const items = group(page, 'Observed').getByRole('listitem')
    await page.getByText('50 changes loaded').waitFor()
    assert.equal(await items.count(), 50)
    const more = page.getByRole('button', { name: 'Show more' })
    await more.click()
    await more.waitFor({ state: 'detached' })
    assert.equal(await items.count(), 6 + bulk)
    assert.match(await items.filter({ hasText: 'bulk-10' }).innerText(), /Appeared\s+Running/)
  })

  test('leads to the servers of the same query, and back', async (t) => {
    const { page } = await open(t, '?q=name%3Aweb-02&scope=system')
    await page.getByRole('link', { name: 'Servers that match' }).click()
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'web-02' }).waitFor()
    assert.deepEqual(searchOf(page), { q: 'name:web-02', scope: 'system' })
    await page.getByRole('main').getByRole('link', { name: 'Changes' }).click()
    await row(page, 'web').waitFor()
    assert.deepEqual(searchOf(page), { q: 'name:web-02', scope: 'system' })
  })

  test('can be used with the keyboard alone', async (t) => {
    const { page } = await open(t)
    await row(page, 'web').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await row(page, 'web').waitFor()
    await row(page, 'web').focus()
    await page.keyboard.press('Enter')
    await change(page, 'web-01').waitFor()
    assert.equal(await row(page, 'web').getAttribute('aria-expanded'), 'true')
    await page.keyboard.press('Space')
    await change(page, 'web-01').waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    assert.match(await page.evaluate('document.activeElement.textContent'), /^db/)
  })

  test('lists what stopped, from the figure of the overview', async (t) => {
    const { page } = await open(t)
    await page.getByRole('link', { name: 'Overview' }).click()
    const figure = page.getByRole('link', { name: /^Stopped\s*1$/ })
    await figure.click()
    assert.deepEqual(searchOf(page), { kind: 'status', new_status: 'stopped', since: '-24h' })
    const status = page.getByRole('combobox', { name: 'New status' })
    await status.waitFor()
    await row(page, 'web').click()
    await change(page, 'web-01').waitFor()
    await status.selectOption('Running')
    await page.getByRole('heading', { name: 'No matching changes' }).waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await row(page, 'web').waitFor()
    const { kind, new_status: newStatus } = searchOf(page)
    assert.deepEqual([kind, newStatus], [undefined, undefined])
  })

  test('is exported with the filter on the screen', async (t) => {
    const { page } = await open(t, '?kind=size')
    await row(page, 'web').waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'changes.csv')
    const path = join(testConsole.platform.folder, 'changes.csv')
    await download.saveAs(path)
    const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/)
    assert.match(head, /server_name/)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /web-02/)
  })

  test('says why it is empty, and what is wrong with the query', async (t) => {
    const { page } = await open(t, '?q=nothing-is-called-so')
    await page.getByRole('heading', { name: 'No matching changes' }).waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await row(page, 'web').waitFor()
    await page.goto('/console/changes?since=2020-01-01T00:00:00Z&until=2020-02-01T00:00:00Z')
    await page.getByRole('heading', { name: 'No changes in this period' }).waitFor()
    await page.getByLabel('From').waitFor()
    await page.goto('/console/changes?q=nonsense:1')
    await page.getByRole('alert').filter({ hasText: 'nonsense' }).waitFor()
    await page.goto('/console/changes?since=soon')
    await page.getByRole('alert').filter({ hasText: 'since' }).waitFor()
  })

  test('a viewer sees the changes of the own project only', async (t) => {
    const { page } = await testConsole.visit(t, fleet.viewer)
    await page.goto('/console/changes')
    await row(page, 'web').waitFor()
    assert.equal(await row(page, 'db').count(), 0)
  })

  test('waits for a slow API, and loads when a failing or silent one is back', async (t) => {
    const proxy = await startApiProxy(t, testConsole.url)
    const { page, context } = await openVisit(t, testConsole.browser, proxy.url)
    await enterAs(context, proxy.url, admin)
    proxy.behave({ kind: 'slow', ms: 700 })
    await page.goto('/console/changes')
    const seen = await watchTexts(page, ['This page crashed', 'No changes', 'No matching'])
    await row(page, 'web').waitFor()
    proxy.behave({ kind: 'failing', status: 503, under: '/api/servers/changes' })
    await row(page, 'web').click()
    await page.getByRole('alert').first().waitFor()
    await row(page, 'db').waitFor()
    proxy.behave({ kind: 'normal' })
    await change(page, 'web-01').waitFor({ timeout: 30_000 })
    assert.deepEqual(await seen(), [])
    proxy.behave({ kind: 'silent' })
    await page.reload()
    await page.getByRole('alert').first().waitFor()
    proxy.behave({ kind: 'normal' })
    await change(page, 'web-01').waitFor({ timeout: 30_000 })
    await proxy.stop()
    await page.getByText(/Disconnected since/).waitFor()
    await row(page, 'web').waitFor()
    await proxy.restart()
    await page.getByText(/Disconnected since/).waitFor({ state: 'detached' })
  })

  test('an expired session leads to the login and back to the same changes', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/changes?kind=size')
    await row(page, 'web').waitFor()
    const { database } = testConsole
    const sessions = database.db.deleteFrom('sessions').where('user_id', '=', fleet.owner.userId)
    await database.commit([sessions.compile()])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.waitForURL('**/console/login**')
    await page.getByLabel('User').fill(fleet.owner.name)
    await page.getByLabel('Password').fill(fleet.owner.password)
    await page.keyboard.press('Enter')
    await row(page, 'web').waitFor()
    assert.deepEqual(searchOf(page), { kind: 'size' })
  })

  for (const locale of ['en-GB', 'zh-CN']) {
    test(`breaks no rule of axe in ${locale}, and shows no name of the API`, async (t) => {
      const { page } = await testConsole.visit(t, admin, { bypassCSP: true, locale })
      await page.goto('/console/changes')
      await settle(page)
      await row(page, 'web').click()
      await change(page, 'web-02').waitFor()
      assert.deepEqual(await examine(page, 'changes'), [])
      const text = await page.getByRole('main').innerText()
      assert.doesNotMatch(text, /vcpu_count|vmem_size|user:|ext:|\bready\b|\d{4}-\d\d-\d\dT/)
      await page
        .getByRole('heading', { level: 1, name: locale === 'zh-CN' ? '变更' : 'Changes' })
        .waitFor()
    })
  }
})
