import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startApiProxy } from './api-proxy.ts'
import { enterAs } from './enter-as.ts'
import { watchTexts } from './seen-texts.ts'
import { createSmallFleet, sizes, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'
import { openVisit } from './visit.ts'

const emptyStates = ['No matching', 'No servers yet', 'No accounts yet']
/** The pause between two keys at normal typing speed. */
const keyDelay = 120

describe('empty states', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  async function openSlow(
    t: Parameters<TestConsole['visit']>[0],
    path: string,
    as: typeof admin = fleet.owner,
  ) {
    const proxy = await startApiProxy(t, testConsole.url)
    const { page, context, requests } = await openVisit(t, testConsole.browser, proxy.url)
    await enterAs(context, proxy.url, as)
    await page.goto(`/console${path}`)
    return { page, proxy, requests }
  }

  test('no empty state while a filter is typed, and an incomplete filter is not sent', async (t) => {
    const { page, proxy, requests } = await openSlow(t, '/servers')
    await page.getByRole('link', { name: 'web-24' }).waitFor()
    proxy.behave({ kind: 'slow', ms: 600 })
    const seen = await watchTexts(page, emptyStates)
    const before = requests.length
    await page.getByRole('combobox', { name: 'Filter servers' }).focus()
    await page.keyboard.type('status:ready provider:Aws ', { delay: keyDelay })
    await page.getByText(`4 of ${sizes.web} servers`, { exact: true }).waitFor()
    assert.deepEqual(await seen(), [])
    const filters = requests
      .slice(before)
      .map((request) => new URL(request))
      .filter(({ pathname }) => pathname === '/api/servers')
      .flatMap(({ searchParams }) => searchParams.get('q') ?? [])
    assert.deepEqual([...new Set(filters)], ['status:ready', 'status:ready provider:Aws'])
  })

  test('clearing a filter without matches shows that servers are loading', async (t) => {
    const { page, proxy } = await openSlow(t, '/servers?q=zzz')
    await page.getByRole('heading', { name: 'No matching servers' }).waitFor()
    proxy.behave({ kind: 'slow', ms: 1_500 })
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('Searching…').first().waitFor()
    const seen = await watchTexts(page, emptyStates)
    await page.getByRole('link', { name: 'web-24' }).waitFor()
    assert.deepEqual(await seen(), [])
  })

  test('lists of accounts, projects and locations wait for their responses too', async (t) => {
    const { page, proxy } = await openSlow(t, '/accounts?search=zzz', admin)
    await page.getByText('No matching accounts').waitFor()
    proxy.behave({ kind: 'slow', ms: 800 })
    await page.getByRole('searchbox').fill('')
    await page.getByText('Searching…').first().waitFor()
    const seen = await watchTexts(page, ['No matching accounts'])
    await page.getByText('No accounts yet').waitFor()
    assert.deepEqual(await seen(), [])
    await page.goto('/console/identity/projects?enabled=false')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
  })

  test('the overview has one scope, and tells what needs attention', async (t) => {
    const { page } = await openSlow(t, '/')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('Nothing needs attention').waitFor()
    await page.getByText('Scope: Project: web').waitFor()
    assert.equal(await page.getByText('Scope: Project: web').count(), 1)
    const [first] = fleet.servers
    assert.ok(first)
    const { inventory } = testConsole.platform
    await inventory.recordServers({ present: [{ ...first, status: 'start_fail' }], gone: [] })
    t.after(() => inventory.recordServers({ present: [first], gone: [] }))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await attention.getByRole('link', { name: '1 server with a failed status' }).click()
    await page.getByText(`1 of ${sizes.web} servers`, { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Operating system', exact: true }).click()
    await page.getByRole('heading', { name: 'By operating system' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'By operating system' }).waitFor()
    const wide = await openSlow(t, '/', admin)
    await wide.page.getByText('Entire system').first().waitFor()
    await wide.page.goto('/console/servers')
    await wide.page.getByText('Entire system').first().waitFor()
  })

  test('checks are listed, switched off and on, and tell who violates them', async (t) => {
    const { page } = await openSlow(t, '/', admin)
    await testConsole.platform.checks.evaluateChecks()
    await page.getByRole('link', { name: 'All checks' }).click()
    await page.getByRole('link', { name: 'No owner tag' }).click()
    await page.getByRole('heading', { name: 'No owner tag', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'web-24' }).waitFor()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('heading', { name: 'No open violations' }).waitFor()
    await page.getByRole('link', { name: 'Ended' }).click()
    await page.getByRole('link', { name: 'web-24' }).waitFor()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
  })
})
