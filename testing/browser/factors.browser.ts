import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { totpCode } from '../../server/src/testing/totp-code.ts'
import { addSecondFactor, forgetCodes, forgetFreshCodes } from './add-second-factor.ts'
import type { Person } from './enter-as.ts'
import { examine } from './examine.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { admin, startConsole, type TestConsole } from './start-console.ts'

describe('second factors in the console', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  const addViewer = (name: string) =>
    testConsole.addUser(name, 'project_viewer', { projectId: fleet.web }, fleet.web)
  const addOwner = async (name: string) => await addSecondFactor(testConsole, await addViewer(name))

  async function enterPassword(page: Page, { name, password }: Person, path = '/console/') {
    await page.goto(path)
    await page.getByLabel('User').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('form', { name: 'Second factor' }).waitFor()
  }
  async function enterCode(page: Page, code: string) {
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.keyboard.press('Enter')
  }
  const overview = (page: Page) =>
    page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

  test('a login asks for a code after the right password only, and opens the wanted page', async (t) => {
    const person = await addOwner('ada')
    const { page, context } = await testConsole.visit(t, undefined, { bypassCSP: true })
    await page.goto('/console/login')
    await page.getByLabel('User').fill(person.name)
    await page.getByLabel('Password').fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('Wrong user name or password').waitFor()
    assert.equal(await page.getByLabel('Code', { exact: true }).count(), 0)

    await enterPassword(page, person, '/console/servers?sort=name')
    const field = page.getByLabel('Code', { exact: true })
    assert.equal(await field.getAttribute('autocomplete'), 'one-time-code')
    assert.equal(await field.getAttribute('inputmode'), 'numeric')
    assert.deepEqual(await examine(page, 'code'), [])
    await enterCode(page, '000000')
    await page.getByText('The code is wrong or was used before').waitFor()
    assert.equal(await field.inputValue(), '')
    assert.deepEqual(await context.cookies(), [])

    const code = totpCode(person.secret)
    await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`)
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    assert.equal(new URL(page.url()).search, '?sort=name')
    const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'
    assert.ok(!(await page.evaluate<string>(stored)).includes(person.password))
  })

  test('a recovery code logs in once, and the page asks to replace the last ones', async (t) => {
    const person = await addOwner('bela')
    const { database } = testConsole
    const [first = ''] = person.recoveryCodes
    const { page } = await testConsole.visit(t)
    await enterPassword(page, person)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(first)
    await page.keyboard.press('Enter')
    await overview(page)
    await page.goto('/console/me/factors')
    await page.getByText('9 recovery codes left').waitFor()
    assert.equal(await page.getByText('Replace them before').count(), 0)
    const kept = await database.db
      .selectFrom('recovery_codes')
      .select('hash')
      .where('user_id', '=', person.userId)
      .execute()
    await database.commit([
      database.db
        .deleteFrom('recovery_codes')
        .where(
          'hash',
          'in',
          kept.slice(1).map(({ hash }) => hash),
        )
        .compile(),
    ])
    await page.reload()
    await page.getByText('1 recovery code left').waitFor()
    await page.getByText('Replace them before').waitFor()
    await page.getByRole('button', { name: 'Replace recovery codes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace recovery codes' }).click()
    const shown = page.getByRole('dialog', { name: 'Your recovery codes' })
    await shown.getByRole('listitem').nth(9).waitFor()
    const [fresh = ''] = await shown.getByRole('listitem').allInnerTexts()
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('10 recovery codes left').waitFor()

    const other = await testConsole.visit(t)
    await enterPassword(other.page, person)
    await other.page.getByRole('button', { name: 'Use a recovery code' }).click()
    await other.page.getByLabel('Recovery code').fill(first)
    await other.page.keyboard.press('Enter')
    await other.page.getByText('The code is wrong or was used before').waitFor()
    await forgetCodes(testConsole)
    await other.page.getByLabel('Recovery code').fill(fresh.toUpperCase())
    await other.page.keyboard.press('Enter')
    await overview(other.page)
  })

  test('the page forgets a password that waits for a code', async (t) => {
    const person = await addOwner('cora')
    const { page } = await testConsole.visit(t)
    await page.clock.install()
    await enterPassword(page, person)
    await page.getByRole('button', { name: 'Back' }).click()
    assert.equal(await page.getByLabel('User').inputValue(), 'cora')
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    await page.getByLabel('Password').fill(person.password)
    await page.keyboard.press('Enter')
    await page.getByRole('form', { name: 'Second factor' }).waitFor()
    await page.clock.fastForward('05:01')
    await page.getByText('You entered no code for 5 minutes').waitFor()
    assert.equal(await page.getByLabel('Password').inputValue(), '')
  })

  test('a user adds, renames and deletes an authenticator app', async (t) => {
    const person = await addViewer('dora')
    const { page } = await testConsole.visit(t, person, { bypassCSP: true })
    await page.goto('/console/me/factors')
    await page.getByText('No second factor yet').waitFor()
    assert.deepEqual(await examine(page, 'no factors'), [])
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Phone')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    assert.deepEqual(await examine(page, 'QR code'), [])
    const [secret = ''] = /\b[A-Z2-7]{32}\b/.exec(await dialog.innerText()) ?? []
    await dialog.getByLabel('Code', { exact: true }).fill('000000')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('The code is wrong').waitFor()
    await forgetCodes(testConsole)
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret))
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    await codes.getByRole('listitem').nth(9).waitFor()
    assert.deepEqual(await examine(page, 'recovery codes'), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      codes.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'Recovery codes of Muster.txt')
    await page.keyboard.press('Escape')
    await codes.getByText('Copy it first').waitFor()
    await codes.getByRole('button', { name: 'I have copied it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Phone' })
    await row.waitFor()
    assert.deepEqual(await examine(page, 'factors'), [])
    assert.ok(!(await page.content()).includes(secret))

    await row.getByRole('button', { name: 'Rename Phone' }).click()
    await dialog.getByLabel('Name').fill('Tablet')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Delete Tablet' }).click()
    await dialog.getByText('This is your last second factor').waitFor()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No second factor yet').waitFor()
  })

  test('a change that needs a fresh code asks for it, and is repeated once', async (t) => {
    const person = await addOwner('emma')
    const { page, requests } = await testConsole.visit(t, undefined, { bypassCSP: true })
    await enterPassword(page, person, '/console/me/factors')
    await enterCode(page, totpCode(person.secret))
    const remove = page.getByRole('button', { name: 'Delete Phone' })
    await remove.waitFor()
    await forgetFreshCodes(testConsole, person.userId)
    await forgetCodes(testConsole)
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Enter a code' })
    await dialog.waitFor()
    assert.deepEqual(await examine(page, 'code dialog'), [])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('A code is needed').waitFor()

    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByLabel('Code', { exact: true }).fill('000000')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The code is wrong or was used before').waitFor()
    await forgetCodes(testConsole)
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(person.secret))
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No second factor yet').waitFor()
    const isRemoval = (url: string) => url.endsWith(`/factors/${person.factorId}`)
    assert.equal(requests.filter(isRemoval).length, 3)
  })

  test('after a change of the password the user logs in with a code', async (t) => {
    const person = await addOwner('faye')
    const { page } = await testConsole.visit(t)
    await enterPassword(page, person, '/console/me/sessions')
    await enterCode(page, totpCode(person.secret))
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(person.password)
    await dialog.getByLabel('New password', { exact: true }).fill('tussocky moorland')
    await dialog.getByLabel('Repeat new password').fill('tussocky moorland')
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    await page.getByText('Your session has ended').waitFor()
    await forgetCodes(testConsole)
    await page.getByLabel('User').fill(person.name)
    await page.getByLabel('Password').fill('tussocky moorland')
    await page.keyboard.press('Enter')
    await enterCode(page, totpCode(person.secret))
    await page.getByRole('heading', { name: 'My sessions' }).waitFor()
  })

  test('a session from before the factor needs a code for any page', async (t) => {
    const person = await addViewer('fred')
    const { page } = await testConsole.visit(t, person, { bypassCSP: true })
    await page.goto('/console/servers?sort=name')
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    const { secret } = await addSecondFactor(testConsole, person)
    await page.reload()
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor()
    assert.deepEqual(await examine(page, 'verify'), [])
    await enterCode(page, '000000')
    await page.getByText('The code is wrong or was used before').waitFor()
    await forgetCodes(testConsole)
    await enterCode(page, totpCode(secret))
    await page.getByRole('link', { name: 'web-01' }).waitFor()
    assert.equal(new URL(page.url()).search, '?sort=name')
  })

  test('an administrator resets the factors of a user, who is told', async (t) => {
    const person = await addOwner('gina')
    const own = await testConsole.visit(t, undefined, { bypassCSP: true })
    await enterPassword(own.page, person)
    await enterCode(own.page, totpCode(person.secret))
    await overview(own.page)

    const { page } = await testConsole.visit(t, admin, { bypassCSP: true })
    await page.goto(`/console/identity/users/${person.userId}`)
    await page.getByRole('button', { name: 'Reset second factors' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset the second factors of gina' })
    await dialog.getByText('Removes Phone').waitFor()
    assert.deepEqual(await examine(page, 'reset'), [])
    await dialog.getByRole('button', { name: 'Reset second factors' }).click()
    await page.getByText('Last reset by sysadmin').waitFor()

    await own.page.goto('/console/servers')
    await own.page.waitForURL('**/console/login**')
    await own.page.getByLabel('User').fill(person.name)
    await own.page.getByLabel('Password').fill(person.password)
    await own.page.keyboard.press('Enter')
    const notice = own.page.getByRole('alert').filter({ hasText: 'sysadmin removed your' })
    await notice.waitFor()
    assert.deepEqual(await examine(own.page, 'reset notice'), [])
    await own.page.reload()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    await own.page.reload()
    await own.page.getByRole('link', { name: 'web-01' }).waitFor()
    assert.equal(await notice.count(), 0)
  })
})
