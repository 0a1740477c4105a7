import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

describe('a server', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })
  const idOf = (name: string) => fleet.servers.find((server) => server.name === name)?.id ?? ''

  test('opens in a panel or on its own page, depending on the address', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/servers?sort=name')
    await page.getByRole('link', { name: 'web-01' }).click()
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('heading', { name: 'web-01' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('panel'), idOf('web-01'))

    await page.keyboard.press('j')
    await panel.getByRole('heading', { name: 'web-02' }).waitFor()
    await page.keyboard.press('j')
    await panel.getByRole('heading', { name: 'web-03' }).waitFor()
    await page.keyboard.press('k')
    await panel.getByRole('heading', { name: 'web-02' }).waitFor()

    await panel.getByRole('link', { name: /^Network/ }).click()
    await panel.getByText('10.4.1.2', { exact: true }).first().waitFor()
    await panel.getByRole('link', { name: 'Open full page' }).click()
    await page.getByRole('heading', { name: 'web-02', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/servers/${idOf('web-02')}/network`)

    await page.goBack()
    await panel.getByRole('heading', { name: 'web-02' }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('panel'), null)
  })

  test('each tab has its own address', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    const parts = ['network', 'disks', 'security', 'devices', 'tags', 'history', 'json']
    for (const part of parts) {
      await page.goto(`/console/servers/${idOf('web-05')}/${part}`)
      await page.getByRole('heading', { name: 'web-05', level: 1 }).waitFor()
      await page.locator(`a[href$="/${part}"][aria-current="page"]`).waitFor()
    }
    await page.getByText('X-Auth-Token').first().waitFor()
    await page.goto('/console/servers/no-such-server')
    await page.getByRole('heading', { name: 'Server not found' }).waitFor()
  })

  test('a project owner adds a tag and sees the change in the history', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto(`/console/servers/${idOf('web-07')}/tags`)
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByLabel('Key').fill('team')
    await page.getByLabel('Value').fill('rocket')
    await page.keyboard.press('Enter')
    await page.getByText('Tag saved').waitFor()
    await page.getByRole('button', { name: 'Edit team' }).waitFor()

    await page.getByRole('link', { name: /^History/ }).click()
    const event = page.getByRole('listitem').filter({ hasText: 'rocket' }).first()
    await event.waitFor()
    assert.match(await event.innerText(), /olga/)

    await page.goto('/console/servers?q=tag%3Auser%3Ateam%3Drocket')
    await page.getByRole('link', { name: 'web-07' }).waitFor()
    const { body } = await testConsole.admin.call<{ server: { metadata: object } }>('getServer', {
      path: { id: idOf('web-07') },
    })
    assert.partialDeepStrictEqual(body.server.metadata, { 'user:team': 'rocket' })
  })

  test('a viewer cannot tag it and sees the reason', async (t) => {
    const { page, requests } = await testConsole.visit(t, fleet.viewer)
    await page.goto(`/console/servers/${idOf('web-07')}/tags`)
    const add = page.getByRole('button', { name: /Add tag/ })
    await add.waitFor()
    assert.equal(await add.getAttribute('aria-disabled'), 'true')
    assert.notEqual((await add.getAttribute('title')) ?? '', '')
    await add.click({ force: true })
    assert.equal(await page.getByLabel('Key').count(), 0)
    assert.ok(!requests.some((url) => url.includes('metadata')))
  })

  test('tells its checks, the end of support, and filters by the icon of a value', async (t) => {
    await testConsole.platform.checks.evaluateChecks()
    const { page } = await testConsole.visit(t, fleet.viewer)
    await page.goto(`/console/servers/${idOf('web-01')}`)
    const header = page.getByRole('main').locator('header')
    await header.getByText('support ended on Jun 30, 2024').waitFor()
    const check = header.getByRole('link', { name: 'Operating system past its end of life' })
    await check.waitFor()
    await header.getByRole('link', { name: 'No owner tag' }).waitFor()
    assert.equal(await header.getByRole('link', { name: 'web', exact: true }).count(), 0)

    await check.click()
    const row = page.getByRole('row').filter({ hasText: 'web-01' })
    assert.match(await row.innerText(), /CentOS 7\.9\s+Jun 30, 2024\s+web\b/)
    await page.goBack()

    const icon = header.getByRole('link', { name: 'Show servers with project:web' })
    const isSeen = () =>
      icon.locator('svg').evaluate((one) => one.checkVisibility({ opacityProperty: true }))
    assert.equal(await isSeen(), false)
    await header.getByText('web', { exact: true }).hover()
    assert.equal(await isSeen(), true)
    await page.mouse.move(0, 0)
    await icon.focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    assert.equal(await isSeen(), true)
    await page.keyboard.press('Enter')
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'project:web')

    await page.goBack()
    await check.click()
    await page.getByRole('heading', { name: 'Operating system past its end of life' }).waitFor()
    await page.getByRole('link', { name: 'web-01' }).waitFor()
  })

  test('shows each property once', async (t) => {
    const { page } = await testConsole.visit(t, fleet.viewer)
    await page.goto(`/console/servers/${idOf('web-01')}`)
    await page.getByRole('heading', { name: 'Hardware' }).waitFor()
    const labels = await page.locator('dt').allInnerTexts()
    assert.deepEqual(
      labels.filter((label, at) => labels.indexOf(label) !== at),
      [],
    )
  })

  test('is found in the palette by part of its IP address', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/locations')
    await page.getByRole('heading', { name: 'Locations', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog')
    await palette.getByRole('combobox').fill('4.1.13')
    await palette.getByRole('option', { name: /web-13/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'web-13', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/servers/${idOf('web-13')}`)
  })

  test('can be reached by keyboard alone, starting at the login', async (t) => {
    const { page } = await testConsole.visit(t)
    const { keyboard } = page
    await page.goto('/console/servers?sort=name')
    await page.getByLabel('User').waitFor()
    await keyboard.type('olga')
    await keyboard.press('Tab')
    await keyboard.type(fleet.owner.password)
    await keyboard.press('Enter')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('/')
    await keyboard.type('status:ready ')
    await page.getByText('6 of 24 servers', { exact: true }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('Escape')
    await keyboard.press('j')
    await keyboard.press('j')
    await keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Server' })
    await panel.getByRole('heading', { name: 'web-08' }).waitFor()
    await keyboard.press('g')
    await keyboard.press('o')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })
})
