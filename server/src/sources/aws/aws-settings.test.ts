import assert from 'node:assert/strict'
import files from 'node:fs/promises'
import { request as requestPlain } from 'node:http'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import { createAddressRule } from '../../egress/allowed-addresses.ts'
import { createEgress } from '../../egress/egress.ts'
import { startFakeEc2 } from '../../testing/fake-ec2.ts'
import { privateKey, startSecureServer, testAuthority } from '../../testing/secure-server.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'
import { readAwsSettings } from './aws-settings.ts'

const credentials = { access_key_id: 'AKIA', secret_access_key: 'a/b+c=' }
const check = (address: string, options: object = {}, others: object = {}) =>
  awsKind
    .check({ address, credentials: { ...credentials, ...others }, options: { ...options } })
    .map(({ path }) => path)

describe('settings of an AWS account', () => {
  test('the address is an HTTP URL or empty', () => {
    for (const address of [
      '',
      'https://ec2.eu-west-1.amazonaws.com',
      'http://127.0.0.1:5000/',
      'https://[2001:db8::1]:8443/ec2',
    ]) {
      assert.deepEqual(check(address), [], address)
    }
    for (const address of [
      'ec2.eu-west-1.amazonaws.com',
      'ftp://ec2.example',
      'https://user@ec2.example',
      'https://user:secret@ec2.example',
      'https://ec2.example/?x=1',
      'https://ec2.example/?',
      'https://ec2.example/#x',
      'https://ec2.example/#',
      'file:///etc/passwd',
      'x',
    ]) {
      assert.deepEqual(check(address), ['address'], address)
    }
  })

  test('the region is read from the endpoint if none is set', () => {
    const regionsOf = (address: string, regions: readonly string[] = []) =>
      readAwsSettings({ address, credentials, options: { regions } }).regions
    for (const [address, region] of [
      ['https://ec2.eu-west-1.amazonaws.com', 'eu-west-1'],
      ['https://ec2.eu-west-1.example.internal:8443/x', 'eu-west-1'],
      ['https://vpce-0a1b-2c.ec2.us-gov-west-1.vpce.amazonaws.com', 'us-gov-west-1'],
      ['https://ec2-eu-south-2.example.org', 'eu-south-2'],
      ['https://eu-central-1.cloud.example.org', 'eu-central-1'],
      ['https://ec2.my-cloud-3.example.org', 'my-cloud-3'],
      ['http://EC2.EU-WEST-2.example.org', 'eu-west-2'],
    ] as const) {
      assert.deepEqual(regionsOf(address), [region], address)
      assert.deepEqual(regionsOf(address, ['eu-north-1']), ['eu-north-1'])
    }
    for (const address of [
      '',
      'http://127.0.0.1:5000',
      'https://[2001:db8::1]',
      'https://ec2.example.org',
      'https://kvm-host-1.example.org',
    ]) {
      assert.deepEqual(regionsOf(address), [], address)
    }
  })

  test('a CA needs a custom https endpoint', () => {
    const own = 'https://ec2.eu-west-1.example.internal'
    assert.deepEqual(check(own, { ca: testAuthority }), [])
    assert.deepEqual(check(own, { ca: '' }), [])
    assert.deepEqual(check(own, { ca: 'x' }), ['options.ca'])
    assert.deepEqual(check(own, { ca: testAuthority + privateKey }), ['options.ca'])
    for (const address of ['', 'http://ec2.example']) {
      assert.deepEqual(check(address, { ca: testAuthority }), ['options.ca'])
    }
  })

  test('regions are valid names without duplicates', () => {
    for (const regions of [
      [],
      ['eu-west-1'],
      ['us-gov-west-1', 'cn-northwest-1', 'us-iso-east-1'],
    ]) {
      assert.deepEqual(check('', { regions }), [])
    }
    for (const regions of [
      [''],
      ['Frankfurt'],
      ['eu-west-1', 'eu-west-1'],
      ['eu-west-1.evil.example'],
      ['x@y'],
      ['eu-west-1a'],
    ]) {
      assert.deepEqual(check('', { regions }), ['options.regions'], regions.join())
    }
  })

  test('keys must not contain whitespace', () => {
    assert.deepEqual(check('', {}, { secret_access_key: 'abc\n' }), [
      'credentials.secret_access_key',
    ])
    assert.deepEqual(check('', {}, { access_key_id: 'a b' }), ['credentials.access_key_id'])
    assert.deepEqual(check('', {}, { session_token: 'é' }), ['credentials.session_token'])
    assert.deepEqual(check('', {}, { session_token: '' }), [])
  })

  test('the host of the address is known', () => {
    const hostOf = (address: string) => awsKind.hostOf({ address, credentials, options: {} })
    assert.equal(hostOf(''), undefined)
    assert.equal(hostOf('https://ec2.example:8443/x'), 'ec2.example')
    assert.equal(hostOf('http://[::1]:5000'), '::1')
  })
})

describe('the environment of the process', () => {
  const lifetime = suiteLifetime()
  const strange = {
    AWS_ACCESS_KEY_ID: 'AKIAENVIRONMENT',
    AWS_SECRET_ACCESS_KEY: 'environment',
    AWS_SESSION_TOKEN: 'environment',
    AWS_REGION: 'sa-east-1',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
  }

  test('does not affect credentials and endpoints', async (context) => {
    const read = context.mock.method(files, 'readFile')
    const ec2 = await startFakeEc2(lifetime)
    ec2.instances.set('i-1', { name: 'one' })
    const before = { ...process.env }
    Object.assign(process.env, strange, {
      AWS_ENDPOINT_URL: ec2.url,
      AWS_ENDPOINT_URL_EC2: ec2.url,
    })
    try {
      const egress = createEgress(createAddressRule([]), async (host) => {
        throw new Error(`asked for ${host}`)
      })
      const settings = { address: '', credentials, options: {} }
      const unreachable = await awsKind.open(
        settings,
        { ...conformanceContext, egress },
        AbortSignal.timeout(5_000),
      )
      await assert.rejects(
        scanAll(unreachable),
        (error) =>
          error instanceof SourceError &&
          String(error.cause).includes('asked for ec2.us-east-1.amazonaws.com'),
      )
      assert.equal(ec2.requests.length, 0)
      const source = await awsKind.open(
        ec2.settings,
        conformanceContext,
        AbortSignal.timeout(5_000),
      )
      await scanAll(source)
      await source.close()
    } finally {
      process.env = before
    }
    assert.ok(ec2.requests.length > 1)
    assert.deepEqual(
      read.mock.calls.map(({ arguments: [file] }) => file),
      [],
    )
    for (const { authorization } of ec2.requests) {
      assert.match(authorization, /Credential=AKIAFAKE\/\d+\/(?:us-east-1|eu-west-1)\/ec2\//)
    }
  })

  test('does not affect temporary credentials', async () => {
    const ec2 = await startFakeEc2(lifetime)
    const settings = {
      ...ec2.settings,
      credentials: { ...ec2.settings.credentials, session_token: 'passing' },
      options: { regions: ['eu-west-1'] },
    }
    const source = await awsKind.open(settings, conformanceContext, AbortSignal.timeout(5_000))
    await scanAll(source)
    await source.close()
    assert.match(ec2.requests[0]?.authorization ?? '', /eu-west-1.*x-amz-security-token/)
  })
})

describe('a private endpoint', () => {
  const lifetime = suiteLifetime()

  test('is trusted only with the configured CA', async () => {
    const ec2 = await startFakeEc2(lifetime)
    ec2.instances.set('i-1', { name: 'one' })
    const server = await startSecureServer(lifetime, (request, response) => {
      const onward = requestPlain(ec2.url, { method: 'POST', headers: request.headers })
      onward.on('response', (answer) => answer.pipe(response))
      request.pipe(onward)
    })
    const open = (options: object) =>
      awsKind.open(
        { ...ec2.settings, address: server.url, options: { ...options } },
        conformanceContext,
        AbortSignal.timeout(10_000),
      )
    const source = await open({ ca: testAuthority })
    assert.equal((await scanAll(source)).size, 1)
    await source.close()
    await assert.rejects(open({}).then(scanAll), {
      kind: 'tls',
      message: /unknown authority; set .* as ca/,
    })
  })

  test('of one region is used for that region only', async () => {
    const ec2 = await startFakeEc2(lifetime)
    ec2.regions = ['eu-west-1', 'us-east-1']
    const { port } = new URL(ec2.url)
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const egress = createEgress(createAddressRule(['127.0.0.1']), resolve)
    const address = `http://ec2.eu-west-1.example.internal:${port}`
    const source = await awsKind.open(
      { ...ec2.settings, address },
      { ...conformanceContext, egress },
      AbortSignal.timeout(10_000),
    )
    await scanAll(source)
    await source.close()
    assert.deepEqual([...new Set(ec2.requests.map(({ region }) => region))], ['eu-west-1'])
  })
})
