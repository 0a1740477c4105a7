import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { IdentityProviderDriverDto, IdentityProviderDto } from '@muster/contract'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** Good values of options that have no default, and of some others. */
const samples: Readonly<Record<string, string>> = {
  url: 'https://cas.example.org',
  service_url: 'https://muster.example.org/',
  issuer: 'https://id.example.org',
  client_id: 'muster',
  servers: 'ldaps://ldap.example.org',
  base_dn: 'dc=example,dc=org',
  audience: 'https://muster.example.org',
  subjects: 'repo:acme/web:ref:refs/heads/main',
}

type Field = IdentityProviderDriverDto['options'][number]

/** Another value that the description allows; undefined if the test knows none. */
function otherValueOf({ name, type, choices, default: value }: Field) {
  if (choices.length > 0) return choices.find((choice) => choice !== value)
  if (type === 'boolean') return value !== true
  return samples[name]?.replace(/\/$/, '')
}

onEngineOfLane('the drivers of identity providers', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let drivers: readonly IdentityProviderDriverDto[]
  let count = 0
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    const { body } = await muster.call<{
      identity_provider_drivers: IdentityProviderDriverDto[]
    }>('GET', '/v3/identity_provider_drivers')
    drivers = body.identity_provider_drivers
  })

  const requiredOf = ({ options }: IdentityProviderDriverDto) =>
    Object.fromEntries(
      options.filter(({ required }) => required).map(({ name }) => [name, samples[name]]),
    )
  const create = (driver: string, options: object) =>
    muster.call<{ identity_provider: IdentityProviderDto }>('POST', '/v3/identity_providers', {
      identity_provider: { name: `p ${(count += 1)}`, driver, domain_id: 'default', options },
    })
  const change = (id: string, options: object) =>
    muster.call('PUT', `/v3/identity_providers/${id}`, { identity_provider: { options } })

  test('tell what each offers', () => {
    assert.deepEqual(
      drivers.map(({ driver, features }) => [driver, features]),
      [
        ['cas', ['browser_login', 'token_exchange']],
        ['oidc', ['browser_login', 'token_exchange', 'logout']],
        ['ldap', ['password_check', 'group_sync', 'person_lookup']],
        ['workload', ['token_exchange']],
      ],
    )
  })

  test('have a text for each option, and none twice', () => {
    for (const { title, description, options } of drivers) {
      assert.ok(title !== '' && description !== '')
      assert.equal(new Set(options.map(({ name }) => name)).size, options.length)
      for (const option of options) assert.notEqual(option.description, '', option.name)
    }
  })

  test('describe their options as the API treats them', async () => {
    for (const driver of drivers) {
      const required = requiredOf(driver)
      const { status, text, body } = await create(driver.driver, required)
      assert.equal(status, 201, text)
      const { id, options: stored } = body.identity_provider
      for (const field of driver.options) {
        const { name } = field
        const what = `${driver.driver} ${name}`
        const { [name]: _, ...without } = required
        assert.equal(
          (await create(driver.driver, without)).status,
          field.required ? 400 : 201,
          what,
        )
        if (!field.required) {
          assert.equal(stored[name], field.secret ? undefined : field.default, what)
        }
        const wrong = await create(driver.driver, { ...required, [name]: 'no such value' })
        if (field.choices.length > 0 || field.type === 'boolean' || field.long) {
          assert.equal(wrong.status, 400, what)
        }
        const other = otherValueOf(field)
        if (other === undefined) continue
        const isSame = other === stored[name]
        const changed = await change(id, { [name]: other })
        assert.equal(changed.status, field.fixed && !isSame ? 400 : 200, `${what} ${changed.text}`)
      }
    }
  })

  test('ask for the secrets again where the description says so', async () => {
    const ldap = drivers.find(({ driver }) => driver === 'ldap')
    assert.ok(ldap)
    const { body } = await create('ldap', {
      ...requiredOf(ldap),
      bind_dn: 'cn=reader',
      bind_password: 'secret',
    })
    const values: Readonly<Record<string, unknown>> = {
      servers: 'ldaps://other.example.org',
      base_dn: 'dc=other',
      plain_text: 'always',
      user_filter: '(cn={name})',
      sync_minutes: 15,
    }
    for (const { name, resend } of ldap.options) {
      if (values[name] === undefined) continue
      const { status } = await change(body.identity_provider.id, { [name]: values[name] })
      assert.equal(status, resend ? 400 : 200, name)
    }
  })
})
