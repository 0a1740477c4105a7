import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOidcProvider } from '../../server/src/testing/real-oidc.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { admin, startConsole } from './start-console.ts'

const lifetime = suiteLifetime()

test('an administrator attaches a provider by the form, tests it, maps a group, and a person logs in', async (t) => {
  const testConsole = await startConsole(lifetime, { flags: ['--source-allow=localhost'] })
  const project_id = await testConsole.identities.addProject('lab')
  const oidc = await startOidcProvider(lifetime)
  await oidc.configure({ redirect_uris: [`${testConsole.url}/`] })
  const { page } = await testConsole.visit(t, admin)
  await page.goto('/console/identity/identity_providers')
  await page.getByText('No identity providers').waitFor()

  await page.getByRole('button', { name: 'Attach identity provider' }).click()
  const form = page.getByRole('dialog', { name: 'Attach identity provider' })
  await form.getByLabel('Name', { exact: true }).fill('Acme')
  await form.getByRole('textbox', { name: 'Client ID', exact: true }).fill(oidc.client.client_id)
  const secret = form
    .getByLabel('Client secret (optional)')
    .or(form.locator('[name="options.client_secret"]'))
  await secret.first().fill(oidc.client.client_secret)
  assert.equal(await secret.first().getAttribute('type'), 'password')

  // The error stands at its field.
  await form.getByLabel('Issuer').fill('http://localhost')
  await form.getByRole('button', { name: 'Attach identity provider' }).click()
  await form.getByText('Issuer must be an HTTPS URL').waitFor()
  await form.getByLabel('Issuer').fill(oidc.issuer)
  assert.equal(await form.getByText('Issuer must be an HTTPS URL').count(), 0)
  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await form.getByText('Test failed').waitFor()
  await form.getByText('Check “Certificate authority”').waitFor()
  await form.getByLabel('Certificate authority').fill(testAuthority)
  await form.getByText('The settings have changed since this test.').waitFor()
  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await form.getByText('Test passed').waitFor()
  for (const check of ['Provider responds', 'Issuer', 'Signing keys', 'Token endpoint']) {
    await form.getByRole('listitem').filter({ hasText: check }).waitFor()
  }
  await form.getByLabel('Scopes').fill('openid profile email groups')
  await form.getByRole('button', { name: 'Attach identity provider' }).click()

  // The page shows what to register.
  await page.waitForURL(/\/identity\/identity_providers\/[0-9a-f]{32}$/)
  const id = page.url().split('/').at(-1) ?? ''
  const callback = `${testConsole.url}/api/session/providers/${id}/callback`
  await page.getByText(callback).waitFor()
  await page.getByText(`${testConsole.url}/console/login`).waitFor()
  await oidc.configure({ redirect_uris: [callback] })
  assert.ok(!(await page.content()).includes(oidc.client.client_secret))

  await page.getByRole('button', { name: 'Add rule' }).click()
  const rule = page.getByRole('group', { name: 'Rule 1' })
  await rule.getByLabel('Applies to').selectOption('pattern')
  await rule.getByLabel('Pattern').fill('sta*')
  await rule.getByLabel('Role').selectOption({ label: 'project_owner' })
  await rule.getByLabel('Scope').selectOption(`project_id:${project_id}`)
  const preview = page.getByRole('form', { name: 'Preview a login' })
  await preview.getByLabel('What the provider says').fill('{ "sub": ')
  await preview.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('Must be a JSON object').waitFor()
  const claims = { sub: 'ada-1815', preferred_username: 'ada', groups: ['staff'] }
  await preview.getByLabel('What the provider says').fill(JSON.stringify(claims))
  await preview.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('Creates the user ada').waitFor()
  await preview.getByRole('row').filter({ hasText: 'project_owner' }).getByText('granted').waitFor()
  await preview.getByText('matches: staff').waitFor()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('They apply from the next login').waitFor()

  // Nothing is cut off on a phone.
  await page.setViewportSize({ width: 390, height: 844 })
  const cut = await page.evaluate(`[...document.querySelectorAll('main *')].filter((one) =>
    one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1).length`)
  assert.equal(cut, 0)
  await page.setViewportSize({ width: 1280, height: 800 })

  oidc.addPerson('ada-1815', { preferred_username: 'ada', name: 'Ada Lovelace', groups: ['staff'] })
  oidc.choosePerson('ada-1815')
  const context = await testConsole.browser.newContext({
    baseURL: testConsole.url,
    ignoreHTTPSErrors: true,
  })
  t.after(() => context.close())
  const person = await context.newPage()
  await person.goto('/console/me/sessions')
  await person.getByRole('link', { name: 'Log in with Acme' }).click()
  await person.waitForURL('**/console/me/sessions')
  const { users } = await testConsole.admin.get<{ users: { id: string; name: string }[] }>(
    'listUsers',
  )
  const ada = users.find(({ name }) => name === 'ada')
  assert.ok(ada)

  // Disabling ends the login, and deleting tells what it means.
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('dialog').getByText('all logins through it end immediately').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Enable' }).waitFor()
  await person.reload()
  await person.waitForURL('**/console/login?**')
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('can no longer log in').waitFor()
  await dialog.getByLabel('Type Acme').fill('Acme')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No identity providers').waitFor()
})
