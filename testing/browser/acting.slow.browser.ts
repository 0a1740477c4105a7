import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Task } from '@muster/contract'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/src/testing/eventually.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createActingFleet, type ActingFleet } from './acting-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

const drawerOf = (page: Page) => page.getByRole('region', { name: 'Running and recent tasks' })

/** The entry of a task in the drawer. */
const itemOf = (page: Page, label: string) =>
  drawerOf(page).getByRole('listitem').filter({ hasText: label })

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('actions on servers', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: ActingFleet
  before(async () => {
    testConsole = await startConsole(lifetime, { flags: ['--recycle-for=3d'] })
    fleet = await createActingFleet(testConsole)
  })

  test('a stop is followed to its end, over pages, and listed with the server', async (t) => {
    const { id, name } = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers/${id}`)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Stop ${name}` })
    await dialog.getByLabel('Time to shut down, in seconds').fill('30')
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
    await itemOf(page, `Stop ${name}`).waitFor()
    await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
    await itemOf(page, `Stop ${name}`).getByText('Succeeded').waitFor()
    assert.match(
      await drawerOf(page).getByRole('status').innerText(),
      new RegExp(`Stop ${name}: Succeeded`),
    )

    await itemOf(page, name).getByRole('link').click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByText('Stopped').first().waitFor()
    const stop = page.getByRole('button', { name: /^Stop \(/ })
    await stop.waitFor()
    assert.equal(await stop.getAttribute('aria-disabled'), 'true')
    assert.match((await stop.getAttribute('title')) ?? '', /already stopped/)
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor()

    await page.getByRole('link', { name: 'Tasks', exact: true }).last().click()
    const row = page.getByRole('row').filter({ hasText: 'Stop' })
    await row.getByText('Succeeded').waitFor()
    assert.match(await row.innerText(), /olga/)
    await drawerOf(page)
      .getByRole('button', { name: `Dismiss: Stop ${name}` })
      .click()
    await drawerOf(page).waitFor({ state: 'detached' })
    assert.equal((await fleet.read(id)).status, 'ready')
  })

  test('a row of the list follows a stop in its place, although it no longer matches', async (t) => {
    const { id, name } = await fleet.take('running')
    const other = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    const ids = `${id},${other.id}`
    await page.goto(`/console/servers?q=status%3Arunning%20id%3A${ids}&panel=${id}`)
    const head = page.getByRole('status').filter({ hasText: /servers$/ })
    await head.filter({ hasText: /^2 of / }).waitFor()
    const rowsOf = async () => {
      const links = page.locator('tbody a[href*="/servers/"]')
      return (await links.allInnerTexts()).map((text) => text.trim())
    }
    const before = await rowsOf()
    const row = page.getByRole('row').filter({ hasText: name })
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Stop ${name}` })
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
    await row.getByText('Stopping').waitFor()
    await row.getByText('no longer matches').waitFor()
    await row.getByText('Stopped').waitFor()
    await head.filter({ hasText: /^1 of / }).waitFor()
    assert.deepEqual(await rowsOf(), before)
    await page.getByRole('button', { name: 'Show changes' }).click()
    await row.waitFor({ state: 'detached' })
    assert.deepEqual(await rowsOf(), [other.name])
  })

  test('an action that failed is shown beside the status, in the words of the console', async (t) => {
    const { id, name } = await fleet.attachFailing()
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers?q=id%3A${id}`)
    const row = page.getByRole('row').filter({ hasText: name })
    await row.getByText('Running').waitFor()
    await page.goto(`/console/servers/${id}`)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Stop ${name}` })
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
    await itemOf(page, `Stop ${name}`).getByText('Failed').waitFor()
    const mark = page.getByRole('link', { name: 'The last action did not succeed: Stop' })
    await mark.click()
    const task = page.getByRole('row').filter({ hasText: 'Failed' })
    await task.waitFor()
    assert.doesNotMatch(await task.innerText(), /is_force|ready|_/)
    await page.goto(`/console/servers?q=id%3A${id}`)
    await row.getByRole('link', { name: 'The last action did not succeed: Stop' }).waitFor()
    assert.match(await row.innerText(), /Running/)
    await page.goto('/console/')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByRole('link', { name: '1 task failed' }).click()
    await page.getByRole('button', { name: 'Remove the filter Accepted since' }).waitFor()
    await page.getByRole('row').filter({ hasText: name }).waitFor()
  })

  test('what failed in a batch is tried again, with the same parameters', async (t) => {
    const { id, name } = await fleet.attachFailing()
    const { id: other } = await fleet.take('running')
    const params = { is_force: true, timeout_secs: 9 }
    const started = await testConsole.admin.call<{ batch: { id: string } }>('createBatch', {
      body: { batch: { action: 'stop', ids: [id, other], params } },
    })
    assert.equal(started.status, 202, started.text)
    const batchId = started.body.batch.id
    const { page } = await testConsole.visit(t, admin)
    await page.goto(`/console/tasks?view=batches&batch_id=${batchId}`)
    const row = page.getByRole('row').filter({ hasText: '1 succeeded · 1 failed' })
    await row.getByRole('button', { name: 'Retry 1 failed: Stop' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop 1 server' })
    await dialog.getByText('1 will change').waitFor()
    await dialog.getByText('Time to shut down, in seconds').waitFor()
    await dialog.getByLabel('Type the number of servers, 1, to confirm').fill('1')
    await dialog.getByRole('button', { name: 'Stop 1 server' }).click()
    const stops = await eventually('both have ended', async () => {
      const query = `server_id=${id}`
      const { tasks } = await testConsole.admin.get<{ tasks: Task[] }>('listTasks', { query })
      const ended = tasks.filter(({ action, status }) => action === 'stop' && status === 'failed')
      return ended.length === 2 && ended
    })
    for (const stop of stops) assert.deepEqual(stop.params, params)
    await page.goto(`/console/tasks?server_id=${id}`)
    await page.getByRole('row').getByRole('link', { name }).first().waitFor()
    assert.equal(await page.getByRole('button', { name: `Retry: Stop ${name}` }).count(), 2)
  })

  test('the drawer covers neither the last rows nor the panel', async (t) => {
    const { id, name } = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers?panel=${id}`)
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('button', { name: 'Stop', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Stop ${name}` })
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
    await itemOf(page, `Stop ${name}`).waitFor()
    const bottomOf = async (box: ReturnType<typeof drawerOf>) => {
      const at = await box.boundingBox()
      return (at?.y ?? 0) + (at?.height ?? 0)
    }
    const top = (await drawerOf(page).boundingBox())?.y ?? 0
    assert.ok(top > 400)
    for (const box of [panel, page.getByRole('group', { name: 'Servers' })]) {
      const bottom = await bottomOf(box)
      assert.ok(bottom > 400 && bottom <= top, `${bottom} > ${top}`)
    }
    await itemOf(page, `Stop ${name}`).getByText('Succeeded').waitFor()
  })

  test('a delete asks for the name and can be undone', async (t) => {
    const { id, name } = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers/${id}`)
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    await choose(page, 'Delete…')
    const dialog = page.getByRole('dialog', { name: `Delete ${name}` })
    assert.equal(await dialog.getByRole('checkbox', { name: /disks/ }).isChecked(), false)
    await dialog.getByText('until Muster deletes at the source after 3 days.').waitFor()
    const submit = dialog.getByRole('button', { name: /^Delete/ })
    assert.equal(await submit.getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await submit.click()
    const item = itemOf(page, `Delete ${name}`)
    await item.getByText('Succeeded').waitFor()
    await page.getByText('This server is in the recycle bin').waitFor()
    assert.equal((await fleet.read(id)).pending_deleted, true)

    await page.goto('/console/servers')
    await page.getByRole('button', { name: 'Recycle bin' }).click()
    await page.getByRole('link', { name, exact: true }).waitFor()
    await page.goto(`/console/servers/${id}`)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText(`Restore: ${name}. Done.`).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    assert.equal((await fleet.read(id)).pending_deleted, false)

    await choose(page, 'Delete…')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await submit.click()
    await drawerOf(page)
      .getByRole('button', { name: `Undo: Delete ${name}` })
      .click()
    await page.getByText(`Restore: ${name}. Done.`).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    assert.equal((await fleet.read(id)).pending_deleted, false)
  })

  test('several servers are previewed first, with the reasons of those that do not change', async (t) => {
    const stopped = await fleet.take('ready')
    const running = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers?q=id%3A${stopped.id},${running.id}`)
    await page.getByRole('button', { name: 'Select all 2 that match' }).click()
    const bar = page.getByRole('region', { name: 'Selected servers' })
    await bar.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Start 2 servers' })
    const preview = dialog.getByRole('list', { name: 'Preview' })
    await preview.getByText('1 will change').waitFor()
    await preview.getByText('1 already so').waitFor()
    await preview.getByText('already running').waitFor()
    await dialog.getByRole('button', { name: 'Start 2 servers' }).click()
    await page.locator('tbody tr:focus').waitFor()
    await itemOf(page, 'Start 2 servers').getByText('Finished').waitFor()
    assert.equal((await fleet.read(stopped.id)).status, 'running')

    await page.goto('/console/tasks?view=batches')
    const row = page.getByRole('row').filter({ hasText: 'Start' })
    await row.getByText('2 succeeded').waitFor()
    await row.getByRole('link', { name: 'Show its tasks' }).click()
    await page.getByRole('link', { name: stopped.name, exact: true }).waitFor()
    await page.getByLabel('Status').selectOption('failed')
    await page.getByRole('heading', { name: 'No matching tasks' }).waitFor()
  })

  test('a batch counts refused servers in one way everywhere', async (t) => {
    const stopped = await fleet.take('ready')
    const running = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers?q=id%3A${stopped.id},${running.id}`)
    await page.getByRole('button', { name: 'Select all 2 that match' }).click()
    const bar = page.getByRole('region', { name: 'Selected servers' })
    await bar.getByRole('button', { name: 'Restart', exact: true }).click()
    const label = 'Restart 1 of 2 servers'
    const dialog = page.getByRole('dialog', { name: label })
    await dialog.getByRole('list', { name: 'Preview' }).getByText('1 refused').waitFor()
    await dialog.getByRole('button', { name: label }).click()
    await itemOf(page, label).getByText('1 refused').waitFor()

    await page.goto('/console/tasks?view=batches')
    const tabs = page.getByRole('navigation', { name: 'Sections' })
    const row = page.getByRole('row').filter({ hasText: '1 of 2 servers' })
    await row.waitFor()
    assert.deepEqual(await tabs.locator('[aria-current=page]').allInnerTexts(), ['Batches'])
    await row.getByRole('link', { name: 'Show its tasks' }).click()
    const refused = page.getByRole('row').filter({ hasText: stopped.name })
    await refused.waitFor()
    await page.getByLabel('Status').selectOption('failed')
    await refused.waitFor({ state: 'detached' })
    await page.getByLabel('Status').selectOption('refused')
    await refused.getByText('Refused').waitFor()
    assert.deepEqual(await tabs.locator('[aria-current=page]').allInnerTexts(), ['Tasks'])
  })

  test('a viewer sees why nothing can be done', async (t) => {
    const { id } = await fleet.take('running')
    const { page, requests } = await testConsole.visit(t, fleet.viewer)
    await page.goto(`/console/servers/${id}`)
    const stop = page.getByRole('button', {
      name: /^Stop \(You do not have the permission to stop servers/,
    })
    await stop.waitFor()
    assert.equal(await stop.getAttribute('aria-disabled'), 'true')
    await stop.click({ force: true })
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.ok(!requests.some((url) => url.endsWith('/stop')))
  })
})
