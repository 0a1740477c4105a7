import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { IdentityProviderDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const collection = '/v3/identity_providers'
const privateKey = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----\n'

onEngineOfLane('the input of an identity provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let existing: string
  let project: string
  before(async () => {
    const allow = 'localhost,10.0.0.0/8'
    muster = await startCasPlatform(lifetime, engine, { allow })
    project = await muster.identities.addProject('lab')
    const { body } = await send('POST', '', whole({}))
    existing = body.identity_provider.id
  })

  const whole = (changes: object) => ({
    name: newId(),
    driver: 'cas',
    url: 'https://cas.example.org/cas',
    service_url: 'https://muster.example.org/',
    domain_id: 'default',
    ...changes,
  })
  const send = (method: string, path: string, fields: object) =>
    muster.call<{ identity_provider: IdentityProviderDto }>(method, collection + path, {
      identity_provider: fields,
    })

  /** Asserts that creation and update are rejected and name the field. */
  async function assertRefused(changes: object, path: string, problem = /./) {
    for (const answer of [
      await send('POST', '', whole(changes)),
      await send('PUT', `/${existing}`, changes),
    ]) {
      assert.equal(answer.status, 400, `${JSON.stringify(changes)} ${answer.text}`)
      const { fields } = answer.body
      assert.equal(fields?.[0]?.path, path, answer.text)
      assert.match(fields[0].problem, problem)
    }
  }

  /** Asserts that nothing was written. */
  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await dumpTables(muster.database)
    await work()
    assert.deepEqual(await dumpTables(muster.database), before)
  }

  describe('the address', () => {
    test('is an https URL without anything else', () =>
      unchanged(async () => {
        const bad: [string, RegExp][] = [
          ['http://cas.example.org/cas', /HTTPS/],
          ['http://localhost/cas', /HTTPS/],
          ['ftp://cas.example.org', /must be a URL/],
          ['file:///etc/hostname', /must be a URL/],
          ['javascript:alert(1)', /must be a URL/],
          ['cas.example.org', /must be a URL/],
          ['//cas.example.org', /must be a URL/],
          ['https://', /must be a URL/],
          ['https://cas example.org', /must be a URL/],
          ['https://user@cas.example.org', /user name or password/],
          ['https://user:secret@cas.example.org', /user name or password/],
          ['https://:secret@cas.example.org', /user name or password/],
          ['https://cas.example.org@127.0.0.1', /user name or password/],
          ['https://cas.example.org/?x=y', /query/],
          ['https://cas.example.org/#x', /fragment/],
        ]
        for (const [url, problem] of bad) {
          await assertRefused({ url }, 'identity_provider.url', problem)
        }
      }))

    test('SEC-45 is not local to Muster, unless the operator allowed it', () =>
      unchanged(async () => {
        const near = [
          '127.0.0.1',
          '127.1',
          '0x7f.1',
          '2130706433',
          '0177.0.0.1',
          '１２７.０.０.１',
          '0.0.0.0',
          '[::1]',
          '[::]',
          '[::ffff:127.0.0.1]',
          '[64:ff9b::7f00:1]',
          '192.168.1.1',
          '172.16.0.1',
          '100.64.0.1',
          '169.254.169.254',
          '[fe80::1]',
          '[fd00::1]',
          '224.0.0.1',
          'x.localhost',
          'localhost.localhost',
        ]
        for (const host of near) {
          const url = `https://${host}:8443/cas`
          await assertRefused({ url }, 'identity_provider.url', /--source-allow/)
        }
      }))

    test('SEC-45 can be local if the operator allowed it', async () => {
      for (const host of ['localhost', 'LOCALHOST', '10.0.0.1', '10.255.255.255', '0xa.1']) {
        const url = `https://${host}:8443/cas`
        assert.equal((await send('PUT', `/${existing}`, { url })).status, 200, host)
      }
    })

    test('can have any host name, which is resolved at each login', async () => {
      for (const host of ['cas.intern', 'localhost.example.org', '8.8.8.8', 'bücher.example.org']) {
        const url = `https://${host}/cas`
        const answer = await send('PUT', `/${existing}`, { url })
        assert.deepEqual([answer.status, answer.body.identity_provider.url], [200, url])
      }
    })
  })

  test('the service is an http or https URL', async () => {
    await unchanged(async () => {
      const bad: [string, RegExp][] = [
        ['muster.example.org', /must be a URL/],
        ['ftp://muster.example.org', /must be a URL/],
        ['javascript:alert(1)', /must be a URL/],
        ['https://user:secret@muster.example.org', /user name or password/],
        ['https://muster.example.org/#/console', /fragment/],
      ]
      for (const [service_url, problem] of bad) {
        await assertRefused({ service_url }, 'identity_provider.service_url', problem)
      }
    })
    for (const service_url of ['http://127.0.0.1:8400/console/', 'https://m.example.org/?a=b&c']) {
      assert.equal((await send('PUT', `/${existing}`, { service_url })).status, 200)
    }
  })

  test('the CA is a certificate without a key', async () => {
    await unchanged(async () => {
      const body = testAuthority.split('\n').slice(1, -2).join('\n')
      const bad = [
        'nonsense',
        body,
        privateKey,
        testAuthority.replace('-----BEGIN CERTIFICATE-----', ''),
        testAuthority.replace('-----END CERTIFICATE-----', ''),
      ]
      for (const ca of bad) await assertRefused({ ca }, 'identity_provider.ca', /PEM/)
      await assertRefused({ ca: 'x'.repeat(8_193) }, 'identity_provider.ca')
    })
    for (const ca of [testAuthority, testAuthority.repeat(2), '']) {
      const answer = await send('PUT', `/${existing}`, { ca })
      assert.deepEqual([answer.status, answer.body.identity_provider.ca], [200, ca])
    }
  })

  test('the CA must be parseable', () =>
    unchanged(async () => {
      const garbage = '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n'
      const broken = testAuthority.replace('MII', 'AAA')
      for (const ca of [garbage, broken, testAuthority + garbage]) {
        await assertRefused({ ca }, 'identity_provider.ca', /PEM/)
      }
    }))

  test('SEC-36 a CA with a private key is rejected', () =>
    unchanged(async () => {
      for (const ca of [testAuthority + privateKey, privateKey + testAuthority]) {
        await assertRefused({ ca }, 'identity_provider.ca', /PEM/)
      }
    }))

  test('each mapping rule grants one matching role in one scope', async () => {
    const viewer = await muster.roleId('project_viewer')
    const admin = await muster.roleId('admin')
    const domainAdmin = await muster.roleId('domain_admin')
    const good = { role_id: viewer, project_id: project }
    const bad: [object, string, RegExp][] = [
      [{ role_id: viewer }, '', /either project_id or domain_id/],
      [{ ...good, domain_id: 'default' }, '', /either project_id or domain_id/],
      [{ ...good, attribute: 'group' }, '', /both attribute and value/],
      [{ ...good, value: 'staff' }, '', /both attribute and value/],
      [{ ...good, role_id: 'none' }, '.role_id', /does not refer to a role/],
      [{ ...good, project_id: 'none' }, '', /does not exist/],
      [{ role_id: domainAdmin, domain_id: 'none' }, '', /does not exist/],
      [{ ...good, project_id: 'default' }, '', /does not exist/],
      [{ ...good, role_id: admin }, '.role_id', /cannot be assigned on a project/],
      [{ ...good, role_id: domainAdmin }, '.role_id', /cannot be assigned on a project/],
      [{ role_id: viewer, domain_id: 'default' }, '.role_id', /cannot be assigned on a domain/],
      [{ role_id: admin, domain_id: 'default' }, '.role_id', /cannot be assigned on a domain/],
      [{ ...good, attribute: '', value: '' }, '.attribute', /./],
      [{ ...good, attribute: 'group', value: 7 }, '.value', /./],
    ]
    await unchanged(async () => {
      for (const [rule, path, problem] of bad) {
        await assertRefused({ mapping: [rule] }, `identity_provider.mapping.0${path}`, problem)
        await assertRefused(
          { mapping: [good, rule] },
          `identity_provider.mapping.1${path}`,
          problem,
        )
      }
      const tooMany = Array.from({ length: 101 }, () => good)
      await assertRefused({ mapping: tooMany }, 'identity_provider.mapping')
      // A mapping cannot grant system roles.
      for (const extra of [{ system: true }, { scope: 'system' }, { user_id: 'x' }]) {
        const answer = await send('POST', '', whole({ mapping: [{ ...good, ...extra }] }))
        assert.equal(answer.status, 400)
      }
    })
    const mapping = [good, { ...good, attribute: 'group', value: '' }]
    const answer = await send('PUT', `/${existing}`, { mapping })
    assert.deepEqual([answer.status, answer.body.identity_provider.mapping], [200, mapping])
  })

  test('validates all other fields', () =>
    unchanged(async () => {
      const bad: [object, string][] = [
        [{ name: '' }, 'identity_provider.name'],
        [{ name: ' campus' }, 'identity_provider.name'],
        [{ name: 'cam\npus' }, 'identity_provider.name'],
        [{ name: 'x'.repeat(256) }, 'identity_provider.name'],
        [{ name: null }, 'identity_provider.name'],
        [{ protocol: 1 }, 'identity_provider.protocol'],
        [{ protocol: '3' }, 'identity_provider.protocol'],
        [{ enabled: 'false' }, 'identity_provider.enabled'],
        [{ enabled: 0 }, 'identity_provider.enabled'],
        [{ enabled: null }, 'identity_provider.enabled'],
        [{ url: `https://cas.example.org/${'x'.repeat(1_024)}` }, 'identity_provider.url'],
        [{ url: ['https://cas.example.org'] }, 'identity_provider.url'],
        [{ mapping: {} }, 'identity_provider.mapping'],
        [{ insecure: true }, 'identity_provider.insecure'],
        [{ verify: false }, 'identity_provider.verify'],
      ]
      for (const [changes, path] of bad) await assertRefused(changes, path)
      const made: [object, string][] = [
        [{ driver: 'saml' }, 'identity_provider.driver'],
        [{ domain_id: 'none' }, 'identity_provider.domain_id'],
        [{ domain_id: null }, 'identity_provider.domain_id'],
        ...['name', 'driver', 'url', 'service_url', 'domain_id'].map((key): [object, string] => [
          { [key]: undefined },
          `identity_provider.${key}`,
        ]),
      ]
      for (const [changes, path] of made) {
        const answer = await send('POST', '', whole(changes))
        assert.equal(answer.status, 400)
        assert.equal(answer.body.fields?.[0]?.path, path)
      }
    }))

  test('rejects a body of another shape', () =>
    unchanged(async () => {
      for (const body of [
        {},
        whole({}),
        { identity_provider: null },
        { provider: whole({}) },
        [],
      ]) {
        assert.equal((await muster.call('POST', collection, body)).status, 400)
      }
      assertError(
        await muster.call('POST', `${collection}?domain_id=default`, {
          identity_provider: whole({}),
        }),
        'InputParameterError',
      )
    }))
})
