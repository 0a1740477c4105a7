import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startOidcProvider } from '../../server/src/testing/real-oidc.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { totpCode } from '../../server/src/testing/totp-code.ts'
import { addSecondFactor, forgetCodes } from './add-second-factor.ts'
import { admin, password, startConsole } from './start-console.ts'

const lifetime = suiteLifetime()

/** A console whose login page offers an OpenID provider. */
async function start(t: TestContext) {
  const testConsole = await startConsole(lifetime, { flags: ['--source-allow=localhost'] })
  const oidc = await startOidcProvider(lifetime)
  const { body } = await testConsole.admin.call<{ identity_provider: { id: string } }>(
    'createIdentityProvider',
    {
      body: {
        identity_provider: {
          name: 'Acme',
          driver: 'oidc',
          domain_id: 'default',
          options: { issuer: oidc.issuer, ...oidc.client, ca: testAuthority },
        },
      },
    },
  )
  const path = `/api/session/providers/${body.identity_provider.id}`
  await oidc.configure({
    redirect_uris: [`${testConsole.url}${path}/callback`],
    post_logout_redirect_uris: [`${testConsole.url}/console/login`],
  })
  oidc.addPerson('ada-1815', { preferred_username: 'ada', name: 'Ada Lovelace' })
  oidc.choosePerson('ada-1815')

  // Not `visit`, which allows no other origin.
  const context = await testConsole.browser.newContext({
    baseURL: testConsole.url,
    ignoreHTTPSErrors: true,
  })
  t.after(() => context.close())
  return { testConsole, oidc, path, page: await context.newPage() }
}

test('a person logs in with the button of the company, and out again there too', async (t) => {
  const { oidc, path, page } = await start(t)
  await page.goto('/console/me/sessions')
  await page.getByRole('link', { name: 'Log in with Acme' }).click()
  await page.waitForURL('**/console/me/sessions')
  await page.getByRole('button', { name: /ada/i }).waitFor()

  await page.getByRole('button', { name: /ada/i }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  // The page of the provider, which asks.
  await page.waitForURL(`${oidc.issuer}/**`)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.waitForURL('**/console/login')
  await page.goto('/console/me/sessions')
  await page.waitForURL('**/console/login?**')
  await page.goto(`${path}/callback?error=access_denied`)
  await page.getByText('The login at your identity provider failed').waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/login')
})

test('a user links the login at the company, and an administrator sees and unlinks it', async (t) => {
  const { testConsole, page } = await start(t)
  const user = { name: 'countess', password, domain_id: 'default' }
  const { body } = await testConsole.admin.call<{ user: { id: string } }>('createUser', {
    body: { user },
  })
  await page.goto('/console/me/logins')
  await page.getByLabel('User name').fill(user.name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('No logins at identity providers.').waitFor()
  const link = async (given: string) => {
    await page.getByRole('button', { name: 'Link a login' }).first().click()
    await page.getByLabel('Current password').fill(given)
    await page.getByRole('button', { name: 'Continue to the provider' }).click()
  }
  await link('wrong')
  await page.getByText('Wrong current password').waitFor()
  await page.keyboard.press('Escape')
  await link(password)
  await page.waitForURL('**/console/me/logins?linked=yes')
  await page.getByRole('cell', { name: 'ada-1815' }).waitFor()

  const { page: administrators } = await testConsole.visit(t, admin)
  await administrators.goto(`/console/identity/users/${body.user.id}`)
  await administrators.getByRole('cell', { name: 'ada-1815' }).waitFor()
  await administrators.getByRole('button', { name: 'Unlink the login at Acme' }).click()
  await administrators.getByRole('button', { name: 'Unlink', exact: true }).last().click()
  await administrators.getByText('No logins at identity providers.').waitFor()

  await administrators.getByRole('button', { name: 'Link a login' }).click()
  await administrators.getByLabel('Subject').fill('ada-1815')
  await administrators.getByRole('button', { name: 'Preview' }).click()
  await administrators.getByText('could log in as countess').waitFor()
  await administrators.getByRole('button', { name: 'Link a login' }).last().click()
  await administrators.getByRole('cell', { name: 'ada-1815' }).waitFor()
})

test('a user with a second factor links a login with the password and a code', async (t) => {
  const { testConsole, page } = await start(t)
  const user = { name: 'countess', password, domain_id: 'default' }
  const { body } = await testConsole.admin.call<{ user: { id: string } }>('createUser', {
    body: { user },
  })
  const { secret } = await addSecondFactor(testConsole, { ...user, userId: body.user.id })
  await page.goto('/console/me/logins')
  await page.getByLabel('User name').fill(user.name)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret))
  await page.keyboard.press('Enter')
  await page.getByText('No logins at identity providers.').waitFor()
  await page.getByRole('button', { name: 'Link a login' }).first().click()
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Continue to the provider' }).click()
  await forgetCodes(testConsole)
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret))
  await page.getByRole('button', { name: 'Continue to the provider' }).click()
  await page.waitForURL('**/console/me/logins?linked=yes')
})

test('the login page offers the providers of the domain that was typed, and remembers it', async (t) => {
  const { testConsole, page } = await start(t)
  await testConsole.admin.call('createDomain', { body: { domain: { name: 'Elsewhere' } } })
  await page.goto('/console/login')
  const button = page.getByRole('link', { name: 'Log in with Acme' })
  await button.waitFor()
  await page.getByLabel('Domain').fill('Elsewhere')
  await button.waitFor({ state: 'detached' })
  await page.getByLabel('Domain').fill('default')
  await button.click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
  await page.getByRole('button', { name: /ada/i }).waitFor()
  await page.context().clearCookies()
  await page.goto('/console/login')
  await button.waitFor()
  assert.equal(await page.getByLabel('Domain').inputValue(), 'default')
})
