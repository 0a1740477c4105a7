import assert from 'node:assert/strict'
import files from 'node:fs/promises'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import { createAddressRule } from '../../outgoing/allowed-addresses.ts'
import { createOutlet } from '../../outgoing/outlet.ts'
import { startFakeEc2 } from '../../testing/fake-ec2.ts'
import { conformanceWorld, scanAll } from '../../testing/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'

const credentials = { access_key_id: 'AKIA', secret_access_key: 'a/b+c=' }
const check = (address: string, options: object = {}, others: object = {}) =>
  awsKind
    .check({ address, credentials: { ...credentials, ...others }, options: { ...options } })
    .map(({ path }) => path)

describe('what an account of AWS is given', () => {
  test('is an address of the web, or none', () => {
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

  test('is regions by their codes, each once', () => {
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

  test('is keys without what was copied along', () => {
    assert.deepEqual(check('', {}, { secret_access_key: 'abc\n' }), [
      'credentials.secret_access_key',
    ])
    assert.deepEqual(check('', {}, { access_key_id: 'a b' }), ['credentials.access_key_id'])
    assert.deepEqual(check('', {}, { session_token: 'é' }), ['credentials.session_token'])
    assert.deepEqual(check('', {}, { session_token: '' }), [])
  })

  test('says which host it leads to', () => {
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

  test('decides nothing about whom EC2 is asked as, and where', async (context) => {
    const read = context.mock.method(files, 'readFile')
    const ec2 = await startFakeEc2(lifetime)
    ec2.instances.set('i-1', { name: 'one' })
    const before = { ...process.env }
    Object.assign(process.env, strange, {
      AWS_ENDPOINT_URL: ec2.url,
      AWS_ENDPOINT_URL_EC2: ec2.url,
    })
    try {
      const outlet = createOutlet(createAddressRule([]), async (host) => {
        throw new Error(`asked for ${host}`)
      })
      const settings = { address: '', credentials, options: {} }
      await assert.rejects(
        awsKind.open(settings, { ...conformanceWorld, outlet }, AbortSignal.timeout(5_000)),
        (error) =>
          error instanceof SourceError &&
          String(error.cause).includes('asked for ec2.us-east-1.amazonaws.com'),
      )
      assert.equal(ec2.questions.length, 0)
      const source = await awsKind.open(ec2.settings, conformanceWorld, AbortSignal.timeout(5_000))
      await scanAll(source)
      await source.close()
    } finally {
      process.env = before
    }
    assert.ok(ec2.questions.length > 1)
    assert.deepEqual(
      read.mock.calls.map(({ arguments: [file] }) => file),
      [],
    )
    for (const { authorization } of ec2.questions) {
      assert.match(authorization, /Credential=AKIAFAKE\/\d+\/(?:us-east-1|eu-west-1)\/ec2\//)
    }
  })

  test('is not asked where a temporary key is given', async () => {
    const ec2 = await startFakeEc2(lifetime)
    const settings = {
      ...ec2.settings,
      credentials: { ...ec2.settings.credentials, session_token: 'passing' },
      options: { regions: ['eu-west-1'] },
    }
    const source = await awsKind.open(settings, conformanceWorld, AbortSignal.timeout(5_000))
    await source.close()
    assert.match(ec2.questions[0]?.authorization ?? '', /eu-west-1.*x-amz-security-token/)
  })
})
