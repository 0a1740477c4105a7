import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { ErrorBody } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { issuedCertificate, privateKey } from '../../testing/secure-server.ts'
import { changedTables, createSnapshots } from '../../testing/platform-world/snapshots.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const socket = 'qemu+unix:///system?socket=/nowhere'
const keys = { access_key_id: 'AKIAFAKE', secret_access_key: 'fake' }
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})
const aws = (changes: object = {}) => ({ provider: 'Aws', credentials: keys, ...changes })

/** Input with exactly one error, by the field that the error names. */
const faults: readonly (readonly [field: string, input: object])[] = [
  ['cloudaccount.name', { name: '' }],
  ['cloudaccount.name', { name: ' blank ' }],
  ['cloudaccount.name', { name: 'x'.repeat(256) }],
  ['cloudaccount.name', { name: 7 }],
  ['cloudaccount.provider', { provider: 'Azure' }],
  ['cloudaccount.provider', { provider: 'onecloud' }],
  ['cloudaccount.provider', { provider: null }],
  ['cloudaccount.project_id', { project_id: newId() }],
  ['cloudaccount.project_id', { project_id: '' }],
  ['cloudaccount.brand', { brand: '' }],
  ['cloudaccount.period', { period: 4 }],
  ['cloudaccount.period', { period: 86_401 }],
  ['cloudaccount.period', { period: 7.5 }],
  ['cloudaccount.period', { period: '30' }],
  ['cloudaccount.enabled', { enabled: 'yes' }],
  ['cloudaccount.enabled', { enabled: null }],
  ['cloudaccount.status', { status: 'connected' }],
  ['cloudaccount.id', { id: newId() }],

  ['cloudaccount.address', { address: undefined }],
  ['cloudaccount.address', { address: '' }],
  ['cloudaccount.address', { address: 7 }],
  ['cloudaccount.address', { address: 'kvm-1' }],
  ['cloudaccount.address', { address: 'http://kvm-1/system' }],
  ['cloudaccount.address', { address: 'qemu+ssh://kvm-1/system' }],
  ['cloudaccount.address', { address: 'qemu+tls:///system' }],
  ['cloudaccount.address', { address: 'qemu+tls://user:word@kvm-1/system' }],
  ['cloudaccount.address', { address: 'qemu+unix:///system?socket=here' }],
  ['cloudaccount.address', { address: 'qemu+unix:///system?command=sh' }],
  ['cloudaccount.address', { address: `qemu+tls://${'x'.repeat(1_024)}/system` }],
  ['cloudaccount.address', aws({ address: 'nowhere' })],
  ['cloudaccount.address', aws({ address: 'file:///etc/passwd' })],
  ['cloudaccount.address', aws({ address: 'https://me:word@ec2.example.org' })],
  ['cloudaccount.address', aws({ address: 'https://ec2.example.org/?x=1' })],

  ['cloudaccount.credentials.password', { credentials: { password: 'x' } }],
  ['cloudaccount.credentials.client_key', { credentials: { client_key: 'no key' } }],
  [
    'cloudaccount.credentials.client_key',
    { credentials: { client_certificate: issuedCertificate, client_key: otherKey } },
  ],
  [
    'cloudaccount.credentials.client_certificate',
    { credentials: { client_certificate: privateKey, client_key: privateKey } },
  ],
  ['cloudaccount.credentials', { credentials: 'x' }],
  ['cloudaccount.credentials.access_key_id', aws({ credentials: {} })],
  ['cloudaccount.credentials.access_key_id', aws({ credentials: undefined })],
  [
    'cloudaccount.credentials.secret_access_key',
    aws({ credentials: { ...keys, secret_access_key: '' } }),
  ],
  [
    'cloudaccount.credentials.secret_access_key',
    aws({ credentials: { ...keys, secret_access_key: 'two\nlines' } }),
  ],
  ['cloudaccount.credentials.access_key_id', aws({ credentials: { ...keys, access_key_id: 7 } })],
  [
    'cloudaccount.credentials.__proto__',
    { credentials: JSON.parse('{"__proto__":"x"}') as object },
  ],

  ['cloudaccount.options.colour', { options: { colour: 'red' } }],
  ['cloudaccount.options.constructor', { options: { constructor: 'x' } }],
  ['cloudaccount.options.group', { options: { group: '' } }],
  ['cloudaccount.options.group', { options: { group: 7 } }],
  ['cloudaccount.options.ca', { options: { ca: 'no certificate' } }],
  ['cloudaccount.options.fingerprint', { options: { fingerprint: 'ab:cd' } }],
  ['cloudaccount.options.regions', aws({ options: { regions: 'eu-west-1' } })],
  ['cloudaccount.options.regions', aws({ options: { regions: ['eu-west-1', 'atlantis'] } })],
  ['cloudaccount.options.regions', aws({ options: { regions: ['eu-west-1', 'eu-west-1'] } })],
  [
    'cloudaccount.options.servers',
    { provider: 'Simulator', address: '', options: { servers: 'many' } },
  ],

  ['cloudaccount.mapping', { mapping: {} }],
  ['cloudaccount.mapping.0.project_id', { mapping: [{ tag: 'team=web' }] }],
  ['cloudaccount.mapping.0.project_id', { mapping: [{ tag: 'x', project_id: newId() }] }],
  ['cloudaccount.mapping.0.tag', { mapping: [{ tag: '', project_id: 'home' }] }],
  ['cloudaccount.mapping.0.region', { mapping: [{ region: 'x', project_id: 'home' }] }],
  [
    'cloudaccount.mapping.1',
    { mapping: [{ name: 'web*', project_id: 'home' }, { project_id: 'home' }] },
  ],
]

/** Loopback, link-local and metadata service addresses in many notations. */
const near = [
  '127.0.0.1',
  '127.0.0.53',
  '127.1',
  '0x7f000001',
  '2130706433',
  'localhost',
  'LOCALHOST',
  'kvm.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0.0.0.0',
  '[::]',
  '169.254.0.1',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '100.100.100.200',
]
/** Private networks and the public internet. */
const far = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '[fd12:3456::1]',
  '8.8.8.8',
  'kvm.example.org',
]

describe('the input of an account', () => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    // No local address is allowed here.
    at = await startAttached(lifetime, 'sqlite', { flags: [] })
  })

  const wishOf = (changes: object) => {
    const input = {
      name: `account ${newId()}`,
      provider: 'OneCloud',
      project_id: at.projectId,
      enabled: false,
      ...('provider' in changes ? {} : { address: socket }),
      ...changes,
    }
    // Projects exist only after the platform has started.
    return JSON.parse(JSON.stringify(input).replaceAll('"home"', `"${at.projectId}"`)) as object
  }
  const create = (changes: object) =>
    at.admin.call('createCloudAccount', { body: { cloudaccount: wishOf(changes) } })
  const assertNames = (body: ErrorBody, field: string) =>
    assert.deepEqual([...new Set(body.fields?.map(({ path }) => path))], [field], body.details)

  test('the valid input is accepted', async () => {
    for (const changes of [{}, aws(), { provider: 'Simulator' }]) {
      const answer = await create(changes)
      assert.equal(answer.status, 201, answer.text)
    }
  })

  test('rejects an invalid field by its name and stores nothing', async () => {
    const takeSnapshot = await createSnapshots(at.database)
    const snapshot = await takeSnapshot()
    for (const [field, changes] of faults) {
      const answer = await create(changes)
      assert.equal(answer.status, 400, `${JSON.stringify(changes)}: ${answer.text}`)
      assertNames(answer.body, field)
    }
    assert.deepEqual(changedTables(snapshot, await takeSnapshot()), [])
  })

  test('is validated the same way on update and on test', async () => {
    const { id } = await at.attach({ provider: 'OneCloud', address: socket, enabled: false })
    for (const [field, changes] of faults) {
      // The provider cannot change; missing fields stay as they are.
      if ('provider' in changes || Object.values(changes).includes(undefined)) continue
      const {
        name: _name,
        provider: _provider,
        ...rest
      } = wishOf(changes) as Record<string, unknown>
      const cloudaccount = 'name' in changes ? changes : rest
      const details = { path: { id }, body: { cloudaccount } }
      const answer = await at.admin.call('updateCloudAccount', details)
      assert.equal(answer.status, 400, `${JSON.stringify(changes)}: ${answer.text}`)
      assertNames(answer.body, field)
    }
    for (const [field, changes] of faults) {
      if (!/address|credentials|options|provider/.test(field)) continue
      const { provider, address, credentials, options } = wishOf(changes) as Record<string, unknown>
      const cloudaccount = { provider, address, credentials, options }
      const answer = await at.admin.call('testNewCloudAccount', { body: { cloudaccount } })
      assert.equal(answer.status, 400, `${JSON.stringify(changes)}: ${answer.text}`)
      assertNames(answer.body, field)
    }
  })

  test('the provider cannot be changed, and an empty change is rejected', async () => {
    const { id } = await at.attach({ provider: 'OneCloud', address: socket, enabled: false })
    for (const cloudaccount of [{ provider: 'Aws' }, {}]) {
      const details = { path: { id }, body: { cloudaccount } }
      await at.admin.fail('InputParameterError', 'updateCloudAccount', details)
    }
  })

  test('the name is unique, in any spelling', async () => {
    const name = `Straße ${newId()}`
    await at.attach({ name, provider: 'Simulator', enabled: false })
    const other = await at.attach({ provider: 'Simulator', enabled: false })
    for (const spelling of [name, name.toUpperCase(), name.toLowerCase(), name.normalize('NFD')]) {
      const body = { cloudaccount: wishOf({ name: spelling, provider: 'Simulator' }) }
      assertNames(
        await at.admin.fail('DuplicateNameError', 'createCloudAccount', { body }),
        'cloudaccount.name',
      )
      const details = { path: { id: other.id }, body: { cloudaccount: { name: spelling } } }
      assertNames(
        await at.admin.fail('DuplicateNameError', 'updateCloudAccount', details),
        'cloudaccount.name',
      )
    }
    // Also under concurrent creation.
    const asking = Array.from({ length: 4 }, () =>
      at.admin.call('createCloudAccount', {
        body: { cloudaccount: wishOf({ name: 'wanted by all', provider: 'Simulator' }) },
      }),
    )
    const statuses = (await Promise.all(asking)).map(({ status }) => status)
    assert.deepEqual(
      statuses.sort((a, b) => a - b),
      [201, 409, 409, 409],
    )
    // An account can keep its own name in another spelling.
    const renamed = `ÅNGSTRÖM ${newId()}`
    await at.update(other.id, { name: renamed })
    assert.equal((await at.update(other.id, { name: renamed.toLowerCase() })).id, other.id)
  })

  test('rejects addresses of Muster itself, link-local addresses and metadata services', async () => {
    for (const host of near) {
      for (const changes of [
        { address: `qemu+tls://${host}/system` },
        aws({ address: `http://${host}:8080` }),
      ]) {
        const answer = await create(changes)
        assert.equal(answer.status, 400, `${host}: ${answer.text}`)
        assertNames(answer.body, 'cloudaccount.address')
        assert.match(answer.body.details, /--source-allow/, host)
      }
    }
    for (const host of far) {
      for (const changes of [
        { address: `qemu+tls://${host}/system` },
        aws({ address: `https://${host}` }),
      ]) {
        const answer = await create(changes)
        assert.equal(answer.status, 201, `${host}: ${answer.text}`)
      }
    }
  })

  test('requires all credentials again when the address changes', async () => {
    const { id } = await at.attach(aws({ address: 'https://ec2.example.org', enabled: false }))
    for (const address of ['https://evil.example.org', 'http://ec2.example.org', '']) {
      const details = { path: { id }, body: { cloudaccount: { address } } }
      assertNames(
        await at.admin.fail('MissingParameterError', 'updateCloudAccount', details),
        'cloudaccount.credentials',
      )
    }
    assert.equal((await at.update(id, { address: 'https://ec2.example.org' })).id, id)
    const moved = await at.update(id, { address: 'https://ec2.example.net', credentials: keys })
    assert.equal(moved.address, 'https://ec2.example.net')
    // Without credentials there is nothing to protect.
    const plain = await at.attach({ provider: 'OneCloud', address: socket, enabled: false })
    await at.update(plain.id, { address: `${socket}2` })
  })

  test('is validated the same way in a mapping preview', async () => {
    const { id } = await at.attach({ provider: 'Simulator', enabled: false })
    for (const [field, body] of [
      ['mapping.0.project_id', { mapping: [{ tag: 'x', project_id: newId() }] }],
      ['mapping.0', { mapping: [{ project_id: at.projectId }] }],
      ['project_id', { mapping: [], project_id: newId() }],
      ['mapping', { mapping: 'x' }],
    ] as const) {
      const details = { path: { id }, body }
      assertNames(
        await at.admin.fail('InputParameterError', 'previewCloudAccountMapping', details),
        field,
      )
    }
  })
})
