import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { countIs, filterOf, openServerList, searchOf } from './server-list.ts'
import { createSmallFleet, sizes, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

describe('details of the server list', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  const openList = (t: Parameters<TestConsole['visit']>[0], search?: string) =>
    openServerList(t, testConsole, fleet, search)

  test('the default columns fit a screen of 1440 px, and truncated texts have tooltips', async (t) => {
    const { page } = await openList(t)
    await page.setViewportSize({ width: 1440, height: 900 })
    const list = page.getByRole('group', { name: 'Servers' })
    const hidden = await list.evaluate((area) => area.scrollWidth - area.clientWidth)
    assert.equal(hidden, 0)
    const untitled = await list.evaluate((area) =>
      [...area.querySelectorAll('td, td *')]
        .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0)
        .filter((cell) => !cell.closest('[title]') && !cell.querySelector('[title]'))
        .map((cell) => cell.textContent),
    )
    assert.deepEqual(untitled, [])
    assert.doesNotMatch(await page.locator('tbody time').first().innerText(), /[AP]M/)
    assert.doesNotMatch(
      (await page.locator('tbody time').first().getAttribute('title')) ?? '',
      /[AP]M/,
    )
  })

  test('counts of another query are hidden, and those that contradict the rows are read again', async (t) => {
    const { page } = await openList(t)
    const counts = page
      .getByRole('complementary', { name: 'Filters' })
      .locator('li button > :last-child')
    await countIs(page, `${sizes.web} servers`)
    const held = Promise.withResolvers<void>()
    let counted = 0
    // The first counts of all matches are from a time when these servers were stopping.
    await page.route('**/servers/statistics?q=*', async (route) => {
      counted += 1
      const isFirst = counted === 1
      await held.promise
      const response = await route.fetch()
      const text = await response.text()
      const body = isFirst ? text.replace('"running"', '"stopping"') : text
      await route.fulfill({ response, body })
    })
    await filterOf(page).pressSequentially('status:running ')
    await page.getByText(new RegExp(`^\\d+ of ${sizes.web} servers$`)).waitFor()
    await counts.first().waitFor({ state: 'hidden' })
    held.resolve()
    await countIs(page, /^\d+ of \d+ servers$/)
    await counts.first().waitFor()
    assert.equal(counted, 2)
  })

  test('the name of a status suggests the status', async (t) => {
    const { page } = await openList(t)
    await filterOf(page).pressSequentially('stopp')
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
    await options.filter({ hasText: 'status:Stopped' }).click()
    await countIs(page, `6 of ${sizes.web} servers`)
    assert.equal(searchOf(page)['q'], 'status:ready')
  })

  test('Ctrl+A and Backspace clear the whole filter', async (t) => {
    const { page } = await openList(t, '?q=status%3Aready+provider%3AAws')
    await countIs(page, `4 of ${sizes.web} servers`)
    await filterOf(page).press('Control+a')
    await filterOf(page).press('Backspace')
    await countIs(page, `${sizes.web} servers`)
    assert.deepEqual(searchOf(page), {})
  })

  test('a disabled control shows the reason and stays focusable', async (t) => {
    const { page } = await openList(t)
    await page.getByRole('button', { name: 'Columns' }).click()
    const name = page.getByRole('checkbox', { name: /^Name/ })
    assert.equal(await name.getAttribute('aria-disabled'), 'true')
    assert.match(await name.evaluate((box) => box.closest('label')?.title ?? ''), /always shown/)
    await name.press('Space')
    assert.equal(await name.isChecked(), true)
  })

  test('Tab leaves the filter for a control, although its suggestions scroll', async (t) => {
    const { page } = await openList(t)
    await page.setViewportSize({ width: 1440, height: 900 })
    await filterOf(page).focus()
    const list = page.getByRole('listbox', { name: 'Suggestions' })
    await list.waitFor()
    assert.ok(await list.evaluate((area) => area.scrollHeight > area.clientHeight))
    await page.keyboard.press('Tab')
    await list.waitFor({ state: 'hidden' })
    const focused = await page.evaluate('document.activeElement?.tagName')
    assert.equal(focused, 'BUTTON')
  })

  test('columns are resized by dragging and with the keyboard, and keep their widths', async (t) => {
    const { page } = await openList(t)
    await page.setViewportSize({ width: 1440, height: 900 })
    const edge = page.getByRole('separator', { name: 'Width of Project' })
    const width = async () =>
      (await page.getByRole('columnheader', { name: 'Project' }).boundingBox())?.width ?? 0
    const before = await width()
    assert.equal(await edge.getAttribute('aria-valuenow'), String(before))
    const box = await edge.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 4, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 44, box.y + 10, { steps: 4 })
    await page.mouse.up()
    assert.equal(await width(), before + 40)
    await edge.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await width(), before + 24)
    assert.equal(await edge.getAttribute('aria-valuenow'), String(before + 24))
    assert.deepEqual(searchOf(page), {})
    await page.reload()
    await page.locator('tbody a').first().waitFor()
    assert.equal(await width(), before + 24)
    await edge.dblclick()
    assert.equal(await width(), before)
  })

  test('addresses and sizes are never cut, however narrow the window is', async (t) => {
    const { page } = await openList(t)
    const [pattern] = fleet.servers
    assert.ok(pattern)
    const address = '2001:0db8:85a3:0000:1000:8a2e:0370:7334'
    const nics = (pattern.nics ?? []).map((nic) => ({ ...nic, ip_addr: '', ip6_addr: address }))
    const { inventory } = testConsole.platform
    await inventory.recordServers({
      present: [{ ...pattern, nics, vcpu_count: 1000, vmem_size: 1_047_000 }],
      gone: [],
    })
    t.after(() => inventory.recordServers({ present: [pattern], gone: [] }))
    const whole = page.locator('tbody td[data-whole]')
    const isShown = (text: string) => whole.filter({ hasText: text }).first()
    for (const width of [1440, 1100, 800, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto('/console/servers?sort=name')
      await isShown(address).waitFor()
      if (width > 640) {
        // Not even by the user.
        const edge = page.getByRole('separator', { name: 'Width of IP addresses' })
        for (let step = 0; step < 20; step += 1) await edge.press('ArrowLeft')
        await isShown('1,000 · 1,022.5 GB').waitFor()
      }
      const cut = await whole.evaluateAll((cells) =>
        cells
          .filter((cell) => {
            const range = cell.ownerDocument.createRange()
            range.selectNodeContents(cell)
            const inner = range.getBoundingClientRect()
            const outer = cell.getBoundingClientRect()
            return inner.right > outer.right + 0.5 || inner.left < outer.left - 4.5
          })
          .map((cell) => cell.textContent),
      )
      assert.deepEqual(cut, [], `${width}`)
    }
  })

  test('marks what was searched, and says why a row matches', async (t) => {
    const { page } = await openList(t)
    const marks = () => page.locator('tbody mark').allInnerTexts()
    await filterOf(page).fill('EB-01')
    await countIs(page, '1 of 24 servers')
    assert.deepEqual(await marks(), ['eb-01'])
    await filterOf(page).fill('10.4.1.12')
    await page.locator('tbody mark').filter({ hasText: '10.4.1.12' }).waitFor()
    assert.deepEqual(await marks(), ['10.4.1.12'])
    await filterOf(page).fill('8000-000000000107')
    await countIs(page, '1 of 24 servers')
    const row = page.locator('tbody tr').filter({ hasText: 'web-07' })
    await row.getByText('ID: 00000000-0000-4000-8000-000000000107').waitFor()
    assert.deepEqual(await marks(), ['8000-000000000107'])
  })

  test('selects a range with Shift, and compares two to five servers', async (t) => {
    const { page } = await openList(t, '?sort=name')
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
    const selection = page.getByRole('region', { name: 'Selected servers' })
    const compare = selection.getByRole('button', { name: 'Compare' })
    const place = () => page.locator('tbody tr').filter({ hasText: 'web-04' }).boundingBox()
    const before = await place()
    await box('web-02').click()
    await selection.waitFor()
    assert.deepEqual(await place(), before, 'the list does not move')
    assert.equal(await compare.getAttribute('aria-disabled'), 'true')
    await box('web-07').click({ modifiers: ['Shift'] })
    await selection.getByText('6 selected').waitFor()
    assert.equal(await compare.getAttribute('aria-disabled'), 'true')
    await box('web-02').click()
    await box('web-03').click()
    await selection.getByText('4 selected').waitFor()
    // With the keyboard: on to web-09, and back to web-05.
    await selection.getByRole('button', { name: 'Clear selection' }).click()
    await page.locator('tbody tr:focus').filter({ hasText: 'web-03' }).waitFor()
    await page.locator('tbody tr').filter({ hasText: 'web-05' }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await selection.getByText('3 selected').waitFor()
    await compare.click()
    await page.getByRole('heading', { name: 'Compare servers' }).waitFor()
    const different = page.getByRole('table', { name: 'Different' })
    const heads = await different.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(heads, ['Property', 'web-05', 'web-06', 'web-07'])
    const memory = page.getByRole('table', { name: 'Same' }).getByRole('row', { name: /^Memory/ })
    assert.equal(await memory.innerText(), 'Memory\t4 GB\t4 GB\t4 GB')
    const vcpus = different.getByRole('row', { name: /^vCPU/ })
    assert.match(await vcpus.innerText(), /2\t8\t2$/)
    await page.getByRole('link', { name: 'web-06' }).click()
    await page.getByRole('heading', { name: 'web-06' }).waitFor()
  })

  test('every tab stop is an interactive element', async (t) => {
    const { page } = await openList(t)
    for (const path of ['/console/servers', '/console/locations', '/console/me/sessions']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('table').first().waitFor()
      for (let stop = 0; stop < 30; stop++) {
        await page.keyboard.press('Tab')
        const focused = page.locator(':focus')
        if ((await focused.count()) === 0) continue
        const isUsable = await focused.evaluate((at) => {
          const { width, height } = at.getBoundingClientRect()
          const scrolls = at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight
          const isControl = at.matches(
            'a, button, input, select, textarea, summary, tr, [role=separator]',
          )
          return width > 0 && height > 0 && (isControl || scrolls)
        })
        assert.ok(isUsable, `stop ${stop} of ${path}`)
      }
    }
  })

  test('the menu of a table value filters by it and excludes it', async (t) => {
    const { page } = await openList(t)
    await page.locator('[data-filter="status"][data-value="ready"]').first().click()
    await page.getByRole('menuitem', { name: 'Show only this value' }).click()
    await countIs(page, `6 of ${sizes.web} servers`)
    await page.locator('[data-filter="provider"][data-value="Aws"]').first().click()
    await page.getByRole('menuitem', { name: 'Exclude this value' }).click()
    await countIs(page, `2 of ${sizes.web} servers`)
    assert.deepEqual(searchOf(page), { q: 'status:ready -provider:Aws' })
  })

  test('new servers appear immediately on request', async (t) => {
    const { page } = await openList(t, '?sort=-name')
    await countIs(page, `${sizes.web} servers`)
    const [pattern] = fleet.servers
    assert.ok(pattern)
    const { inventory } = testConsole.platform
    const fresh = { ...pattern, id: '00000000-0000-4000-8000-000000000999', name: 'web-99' }
    await inventory.recordServers({ present: [fresh], gone: [] })
    t.after(() => inventory.recordServers({ present: [], gone: [fresh.id] }))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('link', { name: 'web-99' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /new$/ }).count(), 0)
  })

  test('another list starts at its top without a selected row', async (t) => {
    const { page } = await openList(t, '?sort=name')
    await page.setViewportSize({ width: 1280, height: 600 })
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('j')
    const scrollTop = () =>
      page.locator('table').evaluate((table) => table.parentElement?.scrollTop)
    await page.locator('tbody tr:focus').filter({ hasText: 'web-20' }).waitFor()
    assert.notEqual(await scrollTop(), 0)
    await page.keyboard.press('/')
    await page.keyboard.type('-name:web-01 ')
    await countIs(page, `${sizes.web - 1} of ${sizes.web} servers`)
    assert.equal(await scrollTop(), 0)
    await filterOf(page).blur()
    await page.keyboard.press('x')
    assert.equal(await page.getByRole('region', { name: 'Selected servers' }).count(), 0)
  })

  test('a click opens a partially visible row', async (t) => {
    const { page } = await openList(t, '?sort=name&columns=name,id')
    await page.setViewportSize({ width: 1280, height: 600 })
    const list = page.getByRole('group', { name: 'Servers' })
    await list.evaluate((element) => element.scrollTo({ top: 100 }))
    const row = page.locator('tbody tr', { hasText: 'web-03' })
    const box = await row.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + box.width - 20, box.y + box.height - 4)
    await page.mouse.down()
    await page.locator('tbody tr:focus').waitFor()
    assert.equal(await list.evaluate((element) => element.scrollTop), 100)
    await page.mouse.up()
    await page.waitForURL(`**panel=${fleet.servers[2]?.id}**`)
  })

  test('text in composition by an input method is not treated as typed', async (t) => {
    const { page, context } = await openList(t)
    const devtools = await context.newCDPSession(page)
    await filterOf(page).focus()
    const half = { text: 'wei bu ', selectionStart: 7, selectionEnd: 7 }
    await devtools.send('Input.imeSetComposition', half)
    assert.equal(await filterOf(page).inputValue(), half.text)
    assert.deepEqual(searchOf(page), {})
    await devtools.send('Input.insertText', { text: '尾部' })
    await page.getByRole('heading', { name: 'No matching servers' }).waitFor()
    assert.deepEqual(searchOf(page), { q: '尾部' })
  })

  test('a bulk tag applies to each server once and can be stopped', async (t) => {
    const { page } = await openList(t, '?sort=name')
    for (const name of ['web-01', 'web-02', 'web-03']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    }
    const requests: string[] = []
    await page.route('**/api/servers/*/metadata', async (route) => {
      requests.push(route.request().url())
      // The second request gets no response.
      if (requests.length === 1) await route.continue()
    })
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Tag' })
    await dialog.getByLabel('Key').fill('shift')
    await dialog.getByLabel('Value').fill('night')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await dialog.getByText('1 of 3 done').waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.getByText('Stopped after 1 of 3').waitFor()
    assert.equal(new Set(requests).size, requests.length)
    assert.equal(requests.length, 2)
  })

  test('a failed export shows an error', async (t) => {
    const { page } = await openList(t)
    await page.route('**/api/servers?**format=csv**', (route) => route.abort())
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await page.getByRole('dialog').getByText('Cannot reach Muster').waitFor()
  })
})
