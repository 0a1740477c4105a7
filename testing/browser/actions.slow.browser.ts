import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createActingFleet, type ActingFleet } from './acting-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

interface Tasks {
  readonly tasks: readonly { readonly action: string; readonly params: object }[]
}

describe('actions on servers, in detail', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: ActingFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createActingFleet(testConsole, 60)
  })
  const tag = (id: string, value: string) =>
    testConsole.admin.call('mergeServerMetadata', {
      path: { id },
      body: { metadata: { batch: value } },
    })
  const tasksOf = async (id: string) =>
    (await testConsole.admin.get<Tasks>('listTasks', { query: `server_id=${id}` })).tasks

  test('a batch whose servers changed after the preview is refused, and previewed again', async (t) => {
    const first = await fleet.take('running')
    const second = await fleet.take('running')
    await tag(first.id, 'gone')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/servers?q=tag%3Abatch%3Dgone')
    await page.getByRole('button', { name: 'Select all 1 that match' }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type the number of servers, 1, to confirm').fill('1')
    await tag(second.id, 'gone')
    await dialog.getByRole('button', { name: 'Delete 1 server' }).click()
    await dialog.getByText('have changed since the preview').waitFor()
    assert.equal((await fleet.read(first.id)).pending_deleted, false)

    await dialog.getByRole('button', { name: 'New preview' }).click()
    await dialog.getByText('2 will change').waitFor()
    await dialog.getByLabel('Type the number of servers, 2, to confirm').fill('2')
    await dialog.getByRole('button', { name: 'Delete 2 servers' }).click()
    const drawer = page.getByRole('region', { name: 'Running and recent tasks' })
    await drawer.getByText('2 succeeded').waitFor()
    for (const { id } of [first, second]) {
      assert.equal((await fleet.read(id)).pending_deleted, true)
    }
    await drawer.getByRole('button', { name: 'Undo: Delete 2 servers' }).click()
    await drawer.getByText('Restore 2 servers').waitFor()
    await eventually('both are restored', async () => {
      const servers = await Promise.all([first, second].map(({ id }) => fleet.read(id)))
      return servers.every((server) => !server.pending_deleted)
    })
  })

  test('a request whose response was lost is repeated without acting twice', async (t) => {
    const { id, name } = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers/${id}`)
    let isLost = false
    await page.route('**/api/servers/*/reset', async (route) => {
      if (isLost) return await route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Reset…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await dialog.getByText('Cannot reach Muster').waitFor()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await dialog.waitFor({ state: 'detached' })
    const resets = (await tasksOf(id)).filter(({ action }) => action === 'reset')
    assert.equal(resets.length, 1)
  })

  test('a forced stop asks for the name, and an edit sends what changed', async (t) => {
    const { id, name } = await fleet.take('running')
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers/${id}`)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel(`Type ${name} to confirm`).count(), 0)
    await dialog.getByRole('checkbox', { name: /Switch off/ }).check()
    const submit = dialog.getByRole('button', { name: /^Stop/ })
    assert.equal(await submit.getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await submit.click()
    const drawer = page.getByRole('region', { name: 'Running and recent tasks' })
    await drawer.getByRole('listitem').getByText('Succeeded').waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    const [stop] = await tasksOf(id)
    assert.deepEqual(stop?.params, { is_force: true })

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await dialog.getByLabel(/^Description/).fill('Of the night shift')
    await dialog.getByRole('checkbox', { name: 'Protect against deletion' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Of the night shift').waitFor()
    assert.equal((await fleet.read(id)).disable_delete, true)
    await page.getByRole('button', { name: 'More actions' }).click()
    const remove = page.getByRole('menuitem', { name: /Delete…/ })
    await eventually('the server is protected', async () =>
      /protected/.test((await remove.getAttribute('title')) ?? ''),
    )
  })

  test('in the recycle bin a server can be deleted now', async (t) => {
    const { id, name } = await fleet.take('running')
    const deleted = await testConsole.admin.call('deleteServer', { path: { id } })
    assert.equal(deleted.status, 200, deleted.text)
    await eventually('it is in the bin', async () => (await fleet.read(id)).pending_deleted)
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/servers?bin=true')
    await page.getByRole('link', { name, exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete now…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await dialog.getByRole('button', { name: 'Delete now' }).click()
    await eventually('it is deleted', async () => (await fleet.read(id)).deleted)
  })

  test('an admin sets an account to observe, and the reason is shown', async (t) => {
    const { id } = await fleet.take('running')
    const { page } = await testConsole.visit(t, admin)
    await page.goto(`/console/accounts/${fleet.accountId}?tab=settings`)
    await page.getByRole('combobox', { name: 'Access' }).selectOption('observe')
    await page.getByText('Muster only reads').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('made-up saved').waitFor()
    await page.goto(`/console/servers/${id}`)
    const stop = page.getByRole('button', { name: /^Stop \(.*observe only/ })
    await stop.waitFor()
    assert.equal(await stop.getAttribute('aria-disabled'), 'true')
  })
})
