import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { password, startConsole, type TestConsole } from './start-console.ts'

const storage = `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])`

describe('logging in and out', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime, { flags: ['--demo', '--demo-servers=40'] })
    fleet = await createSmallFleet(testConsole)
  })

  test('SEC-51 a user logs in, and the page can read no secret', async (t) => {
    const { page, context, requests } = await testConsole.visit(t)
    const answers: Promise<string>[] = []
    page.on('response', (response) => {
      const read = async () => {
        const text = await response.text().catch(() => '')
        return [response.url(), ...Object.entries(response.headers()).flat(), text].join('\n')
      }
      answers.push(read())
    })
    await page.goto('/console/')
    await page.waitForURL('**/console/login')
    await page.getByLabel('User').fill('olga')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByText('Wrong user name or password').waitFor()
    assert.deepEqual(await context.cookies(), [])

    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

    const cookies = await context.cookies()
    assert.equal(cookies.length, 1)
    const [{ name, value, httpOnly, secure, sameSite, path } = cookies[0]!] = cookies
    assert.deepEqual(
      { name, httpOnly, secure, sameSite, path },
      { name: '__Host-muster', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    )
    const stored: string = await page.evaluate(storage)
    const [cookie] = JSON.parse(stored) as [string]
    assert.equal(cookie, '')
    for (const text of [stored, await page.content(), ...requests]) {
      assert.ok(!text.includes(value) && !/\bmt1_/.test(text), text.slice(0, 200))
    }
    const read = await Promise.all(answers)
    assert.ok(read.some((answer) => answer.includes('"csrf_token"')))
    for (const answer of read) {
      assert.ok(!/\bmt1_|^x-subject-token$/m.test(answer), answer.slice(0, 200))
    }
  })

  test('one click logs in to the demo', async (t) => {
    const { page } = await testConsole.visit(t)
    await page.goto('/console/login')
    const people = page.getByRole('region', { name: 'Try the demo' }).getByRole('button')
    await people.filter({ hasText: 'demo-owner' }).waitFor()
    assert.equal(await people.count(), testConsole.platform.demo?.users.length)
    await people.filter({ hasText: 'demo-owner' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByRole('button', { name: /demo-owner/ }).waitFor()
  })

  test('a link opens its page after the login', async (t) => {
    const { page } = await testConsole.visit(t)
    await page.goto('/console/servers?q=status%3Aready&sort=name')
    await page.waitForURL('**/console/login?**')
    await page.getByLabel('User').fill('olga')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'web-04' }).waitFor()
    const { pathname, searchParams } = new URL(page.url())
    assert.equal(pathname, '/console/servers')
    assert.deepEqual(Object.fromEntries(searchParams), { q: 'status:ready', sort: 'name' })
  })

  test('SEC-55 a login never redirects to another origin', async (t) => {
    for (const next of [
      'https://example.org/',
      '//example.org',
      '/\\example.org',
      'javascript:1',
    ]) {
      const { page, context } = await testConsole.visit(t)
      await page.goto(`/console/login?next=${encodeURIComponent(next)}`)
      await page.getByLabel('User').fill('olga')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
      await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
      const { origin, pathname, search } = new URL(page.url())
      assert.deepEqual([origin, pathname, search], [testConsole.url, '/console/', ''], next)
      await context.close()
    }
  })

  test('an expired session leads to the login and back to the same page', async (t) => {
    const { page } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/servers?q=web&sort=name')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    const { database } = testConsole
    await database.commit([database.db.deleteFrom('sessions').compile()])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('User').fill('olga')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    assert.equal(new URL(page.url()).search, '?q=web&sort=name')
  })

  test('SEC-50 logging out ends the session permanently', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const [old] = await context.cookies()
    assert.ok(old)
    const getSession = () =>
      fetch(`${testConsole.url}/api/session`, { headers: { cookie: `${old.name}=${old.value}` } })
    assert.equal((await getSession()).status, 200)
    await page.getByRole('button', { name: /olga/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByText('You are logged out').waitFor()
    assert.deepEqual(await context.cookies(), [])
    assert.equal((await getSession()).status, 401)
    await page.goBack()
    await page.waitForURL('**/console/login')
    assert.equal(await page.getByRole('navigation').count(), 0)
  })

  test('logging out in one tab logs out the others too', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner)
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto('/console/servers?q=web')
      await tab.getByRole('link', { name: 'web-01' }).waitFor()
    }
    await page.getByRole('button', { name: /olga/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByText('You are logged out').waitFor()
    await other.getByText('You are logged out').waitFor()
    assert.equal(await other.getByRole('navigation').count(), 0)
  })

  test('all tabs show the same project, and never its servers under the name of another', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner)
    const other = await context.newPage()
    // This one is told late, as if it had slept.
    await other.addInitScript(`{
      const add = BroadcastChannel.prototype.addEventListener
      BroadcastChannel.prototype.addEventListener = function (name, listener) {
        add.call(this, name, (event) => setTimeout(() => listener(event), 1500))
      }
    }`)
    for (const tab of [page, other]) {
      await tab.goto('/console/servers?scope=project&sort=name')
      await tab.getByRole('link', { name: 'web-01' }).waitFor()
    }
    await page.locator('header [aria-haspopup=dialog]').click()
    await page.getByRole('dialog').getByRole('button', { name: /^db\b/ }).click()
    await page.getByRole('link', { name: 'db-01' }).waitFor()
    await other.getByText('Another tab switched to db').waitFor()
    await other.getByRole('link', { name: 'db-01' }).waitFor()
    assert.equal(await other.getByRole('link', { name: /^web-/ }).count(), 0)
    assert.equal(await page.getByText('Another tab switched').count(), 0)
  })

  test('a failed logout shows an error and can be retried', async (t) => {
    const { page, context } = await testConsole.visit(t, fleet.owner)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: /olga/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    const problem = page.getByRole('dialog', { name: 'Logout failed. You are still logged in.' })
    await problem.waitFor()
    await context.setOffline(false)
    await problem.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('You are logged out').waitFor()
  })

  test('a user lists the own sessions and logs out another one', async (t) => {
    const other = await testConsole.visit(t, undefined, { userAgent: 'Another browser' })
    await other.page.goto('/console/')
    await other.page.getByLabel('User').fill('victor')
    await other.page.getByLabel('Password').fill(password)
    await other.page.keyboard.press('Enter')
    await other.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const { page } = await testConsole.visit(t, fleet.viewer)
    await page.goto('/console/me/sessions')
    const row = page.getByRole('row').filter({ has: page.getByTitle('Another browser') })
    await row.getByRole('button', { name: /^Log out/ }).click()
    await row.waitFor({ state: 'detached' })
    await other.page.goto('/console/servers')
    await other.page.waitForURL('**/console/login**')
  })
})
