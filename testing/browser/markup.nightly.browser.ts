import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { admin, password, startConsole, type TestConsole } from './start-console.ts'

const image = '<img src=x onerror=alert(1) class=planted>'
const script = '"><script class=planted>alert(2)</script>'
const vector = "'><svg class=planted onload=alert(3)>"
const link = 'javascript:alert(4)'
/** Reverses the text after it unless it is isolated. */
const bidi = '\u202Egnp.exe\u2066'

/** Counts injected elements, script links and event handlers. */
const planted = `document.querySelectorAll('.planted, a[href^="javascript:" i], [onerror], [onload]').length`

describe('SEC-53 names, tags and descriptions with markup', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let projectId = ''
  let serverId = ''
  let accountId = ''
  const owner = { name: `owner ${image}`, password }
  before(async () => {
    testConsole = await startConsole(lifetime)
    projectId = await testConsole.identities.addProject(`project ${script}`)
    const { userId } = await testConsole.addUser(
      owner.name,
      'project_owner',
      { projectId },
      projectId,
    )
    await testConsole.identities.assign({ role: 'admin', userId })
    const server = minimalServer(projectId, {
      name: `server ${image} ${bidi}`,
      description: `${script} ${vector}`,
      account: `account ${vector}`,
      account_id: 'account-x',
      region: `region ${image}`,
      zone: link,
      host: `host ${script}`,
      os_name: `os ${vector}`,
      os_type: image,
      instance_type: `type ${image}`,
      hypervisor: script,
      vpc: link,
      external_id: `id ${image}`,
      tags: { [`key ${image}`]: script, link, bidi },
      notes: { source_status: image },
      secgroups: [{ id: 'group', name: `group ${script}` }],
    })
    const other = minimalServer(projectId, { name: script, region: bidi, hypervisor: 'kvm' })
    serverId = server.id
    await testConsole.platform.inventory.recordServers({ present: [server, other], gone: [] })
    const attached = await testConsole.admin.call<{ cloudaccount: { id: string } }>(
      'createCloudAccount',
      {
        body: {
          cloudaccount: {
            name: `account ${image}`,
            provider: 'Simulator',
            project_id: projectId,
            address: '',
            enabled: false,
            options: { servers: 1, cloud_account: `cloud ${script}` },
            mapping: [{ tag: image, project_id: projectId }],
          },
        },
      },
    )
    assert.equal(attached.status, 201, attached.text)
    accountId = attached.body.cloudaccount.id
  })

  /** Expects the value as plain text, without injected elements. */
  async function assertInert(page: Page, text: string): Promise<void> {
    await page.getByText(text).first().waitFor()
    assert.equal(await page.evaluate(planted), 0, page.url())
  }

  test('are rendered as text in the list, its filters and its menus', async (t) => {
    const { page } = await testConsole.visit(t, owner)
    await page.goto(
      '/console/servers?columns=name,status,project,account,region,zone,host,os,description,tags,instance_type,vpc,secgroup',
    )
    await assertInert(page, image)
    await assertInert(page, `project ${script}`)
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('button').filter({ hasText: image }).first().click()
    await page.getByRole('button', { name: /^Remove/ }).waitFor()
    assert.equal(await page.evaluate(planted), 0)
    await page.locator('[data-filter="region"]').first().click()
    await assertInert(page, `region ${image}`)
    await page.keyboard.press('Escape')

    const filter = page.getByRole('combobox', { name: 'Filter servers' })
    await filter.fill('region:')
    await page.getByRole('option').filter({ hasText: 'region' }).first().waitFor()
    assert.equal(await page.evaluate(planted), 0)
    await filter.fill(`${image} `)
    await page.getByRole('button', { name: 'Remove <img' }).waitFor()
    assert.equal(await page.evaluate(planted), 0)
  })

  test('are rendered as text in the address, in views and on the server page', async (t) => {
    const { page } = await testConsole.visit(t, owner)
    await page.goto(
      `/console/servers?q=${encodeURIComponent(image)}&view=${encodeURIComponent(script)}`,
    )
    await page.getByRole('alert').filter({ hasText: 'src=x' }).waitFor()
    assert.equal(await page.evaluate(planted), 0)
    await page.goto(`/console/servers?q=${encodeURIComponent(`"${image}"`)}`)
    await page.getByRole('link', { name: image }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(`view ${image}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await assertInert(page, `view ${image}`)

    for (const part of ['', '/network', '/security', '/tags', '/history', '/json']) {
      await page.goto(`/console/servers/${serverId}${part}`)
      await page.getByRole('heading', { level: 1 }).filter({ hasText: image }).waitFor()
      assert.equal(await page.evaluate(planted), 0, part)
    }
    await page.goto(`/console/servers/${serverId}/tags`)
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByLabel('Key').fill(`own ${vector}`)
    await page.getByLabel('Value').fill(script)
    await page.keyboard.press('Enter')
    await page.getByText('Tag saved').waitFor()
    await assertInert(page, `own ${vector}`)
    await page.getByRole('link', { name: /^History/ }).click()
    await assertInert(page, `own ${vector}`)
    await page.goto(`/console/servers?panel=${serverId}`)
    await page.getByRole('complementary', { name: 'Server' }).getByRole('heading').first().waitFor()
    assert.equal(await page.evaluate(planted), 0)
  })

  test('are rendered as text in the palette, the project switcher and all other pages', async (t) => {
    const { page } = await testConsole.visit(t, owner)
    const places = [
      ['/', `project ${script}`],
      ['/locations', `region ${image}`],
      ['/accounts', `account ${image}`],
      [`/accounts/${accountId}`, `account ${image}`],
      [`/accounts/${accountId}?tab=rules`, image],
      [`/accounts/${accountId}?tab=settings`, `account ${image}`],
      ['/identity/projects', `project ${script}`],
      [`/identity/projects/${projectId}`, `project ${script}`],
      ['/identity/users', owner.name],
      ['/changes', `project ${script}`],
      ['/activity', `account ${image}`],
      ['/me/sessions', `project ${script}`],
      ['/me/keys', owner.name],
    ] as const
    for (const [path, text] of places) {
      await page.goto(`/console${path}`)
      await assertInert(page, text)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('server')
    await page.getByRole('option').filter({ hasText: image }).first().waitFor()
    assert.equal(await page.evaluate(planted), 0)
    await page.getByRole('dialog').getByRole('combobox').fill(image)
    await page.getByRole('option').filter({ hasText: image }).first().waitFor()
    assert.equal(await page.evaluate(planted), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button').filter({ hasText: 'project' }).first().click()
    await page.getByRole('dialog').getByText(`project ${script}`).first().waitFor()
    assert.equal(await page.evaluate(planted), 0)
  })

  test('stay text in an export, which is not rendered as a page', async (t) => {
    const { page } = await testConsole.visit(t, admin)
    await page.goto('/console/')
    const text: string = await page.evaluate(
      `fetch('/api/servers?format=csv&scope=system&q=server').then(async (answer) =>
        [answer.headers.get('content-type'), answer.headers.get('x-content-type-options'),
         answer.headers.get('content-disposition'), await answer.text()].join('\\n'))`,
    )
    assert.match(text, /^text\/csv/)
    assert.match(text, /\nnosniff\n/)
    assert.match(text, /\nattachment/)
    assert.ok(text.includes(image))
  })
})
