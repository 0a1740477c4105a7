import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { requestToken } from '../../server/src/testing/client.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { eventually } from '../../server/src/testing/eventually.ts'
import { startConsole, type TestConsole } from '../browser/start-console.ts'
import { startKeycloak, type TestKeycloak } from './start.ts'

interface Row {
  readonly id: string
}

describe('Muster and Keycloak', () => {
  const lifetime = suiteLifetime()
  let keycloak: TestKeycloak
  let testConsole: TestConsole
  let provider: string
  before(async () => {
    keycloak = await startKeycloak()
    testConsole = await startConsole(lifetime, { flags: ['--source-allow=localhost'] })
    const project_id = await testConsole.identities.addProject('lab')
    const { db } = testConsole.database
    const role = db.selectFrom('roles').where('name', '=', 'project_owner').select('id')
    const { id: role_id } = await role.executeTakeFirstOrThrow()
    const { body } = await testConsole.admin.call<{ identity_provider: Row }>(
      'createIdentityProvider',
      {
        body: {
          identity_provider: {
            name: 'Acme',
            driver: 'oidc',
            domain_id: 'default',
            options: {
              issuer: keycloak.issuer,
              client_id: 'muster',
              client_secret: 'a client secret',
              audience: 'muster-api',
              ca: testAuthority,
            },
            mapping: [{ attribute: 'groups', value: 'staff', role_id, project_id }],
          },
        },
      },
    )
    provider = body.identity_provider.id
    await setLogoutAddress(`${testConsole.url}/api/session/providers/${provider}/logout`)
  })
  after(() => keycloak.stop())

  async function setLogoutAddress(address: string): Promise<void> {
    const [client] = await keycloak.administer<Row[]>('GET', '/clients?clientId=muster')
    assert.ok(client)
    const attributes = {
      'post.logout.redirect.uris': '*',
      'backchannel.logout.url': address,
      // If it named a session, Keycloak would end only one of several sessions of a person.
      'backchannel.logout.session.required': 'false',
    }
    await keycloak.administer('PUT', `/clients/${client.id}`, { ...client, attributes })
  }

  const findPerson = async () => {
    const [person] = await keycloak.administer<Row[]>('GET', '/users?username=ada&exact=true')
    assert.ok(person)
    return person
  }

  /** A browser at the form of Keycloak, with the name and password filled in. */
  async function logIn(t: TestContext) {
    const context = await testConsole.browser.newContext({
      baseURL: testConsole.url,
      ignoreHTTPSErrors: true,
    })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto('/console/me/sessions')
    await page.getByRole('link', { name: 'Log in with Acme' }).click()
    await page.locator('#username').fill('ada')
    await page.locator('#password').fill('ada at the engine')
    await page.locator('#kc-login').click()
    return page
  }

  test('a person logs in with the form of Keycloak, and has the roles of the groups', async (t) => {
    const page = await logIn(t)
    await page.waitForURL('**/console/me/sessions')
    await page.getByRole('button', { name: /ada/i }).waitFor()
    const { db } = testConsole.database
    const user = await db
      .selectFrom('users')
      .where('name', '=', 'ada')
      .selectAll()
      .executeTakeFirstOrThrow()
    assert.deepEqual([user.displayname, user.email], ['Ada Lovelace', 'ada@example.org'])
    const sessions = await db.selectFrom('sessions').select('scope').execute()
    assert.deepEqual(
      sessions.map(({ scope }) => scope),
      ['lab'],
    )
  })

  test('logging out leads to the page of Keycloak and back', async (t) => {
    const page = await logIn(t)
    await page.getByRole('button', { name: /ada/i }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.waitForURL(`${keycloak.issuer}/**`)
    await page.locator('#kc-logout').click()
    await page.waitForURL('**/console/login')
  })

  test('what Keycloak ends has ended here, in every browser', async (t) => {
    const pages = [await logIn(t), await logIn(t)]
    for (const page of pages) await page.waitForURL('**/console/me/sessions')
    await keycloak.administer('POST', `/users/${(await findPerson()).id}/logout`)
    for (const page of pages) {
      await eventually('the session has ended', async () => {
        const answer = await page.request.get('/api/session')
        return answer.status() === 401
      })
      await page.reload()
      await page.waitForURL('**/console/login**')
    }
  })

  test('a program logs in with a token for this audience, and with no other', async () => {
    const form = {
      grant_type: 'client_credentials',
      client_id: 'robot',
      client_secret: 'a robot secret',
    }
    const token = await keycloak.tokenOf(form)
    const send = (credential: Record<string, string>) =>
      requestToken(testConsole.url, { identity: { methods: ['oidc'], credential } })
    const answer = await send({ token })
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.body.token.user.Name, 'service-account-robot')
    assert.equal((await send({ token })).status, 401, 'used before')
    await testConsole.admin.call('updateIdentityProvider', {
      path: { id: provider },
      body: { identity_provider: { options: { audience: 'another' } } },
    })
    assert.equal((await send({ token: await keycloak.tokenOf(form) })).status, 401)
  })

  test('a person whom Keycloak disabled cannot log in', async (t) => {
    const { id } = await findPerson()
    await keycloak.administer('PUT', `/users/${id}`, { enabled: false })
    const page = await logIn(t)
    await page.getByText('Account is disabled').waitFor()
  })
})
