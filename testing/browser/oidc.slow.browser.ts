import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOidcProvider } from '../../server/src/testing/real-oidc.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startConsole } from './start-console.ts'

const lifetime = suiteLifetime()

test('a person logs in with the button of the company, and out again there too', async (t) => {
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
  const page = await context.newPage()
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
