import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { IdentityProviderDto } from '@muster/contract'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const issuer = 'https://id.example.org/realms/acme'
const secret = 'canary-client-secret'

onEngineOfLane('the options of an identity provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let id: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    id = (await muster.addOidc(issuer, {}, { client_secret: secret })).id
  })

  const send = (method: string, path: string, fields: object) =>
    muster.call<{ identity_provider: IdentityProviderDto }>(
      method,
      `/v3/identity_providers${path}`,
      { identity_provider: fields },
    )
  const storedSecrets = async () =>
    (
      await muster.database.db
        .selectFrom('identity_providers')
        .where('id', '=', id)
        .select('secrets')
        .executeTakeFirstOrThrow()
    ).secrets

  test('are shown with their defaults, but not the secret ones', async () => {
    const { body, text } = await muster.call<{ identity_provider: IdentityProviderDto }>(
      'GET',
      `/v3/identity_providers/${id}`,
    )
    const { ca: _, ...options } = body.identity_provider.options
    assert.deepEqual(options, {
      issuer,
      client_id: 'muster',
      scopes: 'openid profile email',
      name_claim: 'preferred_username',
      audience: '',
      create_users: true,
      device_client_id: '',
    })
    assert.ok(!text.includes('client_secret'))
  })

  test('a secret one is encrypted, bound to its row, and in no event and no log', async () => {
    assert.match((await storedSecrets()) ?? '', /^v1\./)
    assert.ok(!JSON.stringify(await dumpTables(muster.database)).includes(secret))
    assert.ok(!muster.log.text().includes(secret))
  })

  test('a secret one changes alone, and the event tells only that it did', async () => {
    const before = await storedSecrets()
    assert.equal((await send('PUT', `/${id}`, { options: { scopes: 'openid' } })).status, 200)
    assert.equal(await storedSecrets(), before)
    const options = { client_secret: `${secret}-2` }
    const answer = await send('PUT', `/${id}`, { options })
    assert.equal(answer.body.identity_provider.options['scopes'], 'openid')
    assert.notEqual(await storedSecrets(), before)
    const requestId = answer.headers.get('x-request-id') ?? ''
    const [event] = await muster.events(`request_id=${requestId}`)
    assert.deepEqual(event?.changes, { client_secret: ['(hidden)', '(hidden)'] })
    assert.equal((await send('PUT', `/${id}`, { options: { client_secret: '' } })).status, 200)
    assert.equal(await storedSecrets(), null)
  })

  test('are refused if they are missing, unknown, of another kind, or fixed', async () => {
    const whole = { issuer, client_id: 'muster' }
    const made: [object, string, RegExp][] = [
      [{ client_id: 'muster' }, 'options.issuer', /required/],
      [{ issuer }, 'options.client_id', /required/],
      [{ ...whole, client_id: '' }, 'options.client_id', /empty/],
      [{ ...whole, issuer: 'http://id.example.org' }, 'options.issuer', /HTTPS/],
      [{ ...whole, issuer: 'https://127.0.0.1' }, 'options.issuer', /--source-allow/],
      [{ ...whole, issuer: 7 }, 'options.issuer', /URL/],
      [{ ...whole, create_users: 'no' }, 'options.create_users', /true or false/],
      [{ ...whole, ca: 'nonsense' }, 'options.ca', /PEM/],
      [{ ...whole, constructor: 'x' }, 'options.constructor', /not an option/],
      [{ ...whole, service_url: 'https://x' }, 'options.service_url', /not an option/],
    ]
    for (const [options, path, problem] of made) {
      const answer = await send('POST', '', {
        name: 'another',
        driver: 'oidc',
        domain_id: 'default',
        options,
      })
      assert.equal(answer.status, 400, answer.text)
      const [field] = answer.body.fields ?? []
      assert.equal(field?.path, `identity_provider.${path}`)
      assert.match(field.problem, problem)
    }
    // The subjects of another issuer are other people.
    const moved = await send('PUT', `/${id}`, { options: { issuer: 'https://evil.example.org' } })
    assert.equal(moved.status, 400)
    assert.match(moved.text, /create another provider/)
    assert.equal((await send('PUT', `/${id}`, { options: { issuer } })).status, 200)
  })

  test('of CAS are fields of the provider too', async () => {
    const cas = { url: 'https://cas.example.org', service_url: 'https://muster.example.org/' }
    for (const [name, fields] of Object.entries({ flat: cas, nested: { options: cas } })) {
      const { body } = await send('POST', '', {
        name,
        driver: 'cas',
        domain_id: 'default',
        ...fields,
      })
      const { options, url, service_url, protocol } = body.identity_provider
      assert.deepEqual(options, { ...cas, protocol: 3, ca: '' })
      assert.deepEqual({ url, service_url, protocol }, { ...cas, protocol: 3 })
    }
  })
})
