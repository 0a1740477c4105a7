import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { connectionFlags } from '../grammar/flag.ts'
import { parseFlags } from '../grammar/parse-flags.ts'
import { writeProfile } from './profiles.ts'
import { readSettings, type Settings } from './settings.ts'
import { createTokenCache } from './token-cache.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-cli-'))
after(() => rmSync(folder, { recursive: true }))
const base = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_CACHE_HOME: join(folder, 'cache') }

const addresses = {
  flag: 'https://flag.test',
  variables: 'https://variables.test',
  cloud: 'https://cloud.test',
  profile: 'https://profile.test',
}
const secrets = { variables: 'secret-v', cloud: 'secret-c', profile: 'secret-p' }

mkdirSync(join(base.XDG_CONFIG_HOME, 'openstack'), { recursive: true })
const clouds = join(base.XDG_CONFIG_HOME, 'openstack/clouds.yaml')
writeFileSync(
  clouds,
  `clouds:
  lab:
    auth: { auth_url: '${addresses.cloud}/v3', username: carol, project_name: web, project_domain_name: Acme }
    verify: false
`,
)
writeFileSync(
  join(base.XDG_CONFIG_HOME, 'openstack/secure.yaml'),
  `clouds: { lab: { auth: { password: ${secrets.cloud} } } }`,
)
writeProfile(base, 'default', {
  authUrl: addresses.profile,
  url: addresses.profile,
  isInsecure: false,
  user: 'paul',
  token: {
    secret: secrets.profile,
    expiresAt: '2099-01-01T00:00:00Z',
    authUrl: addresses.profile,
    url: addresses.profile,
  },
})

const variables = {
  OS_AUTH_URL: `${addresses.variables}/v3/`,
  OS_USERNAME: 'vera',
  OS_PASSWORD: secrets.variables,
}

const read = (args: readonly string[], environment: Record<string, string> = {}) =>
  readSettings(parseFlags(connectionFlags, args), { ...base, ...environment })

const secretOf = ({ credential }: Settings) =>
  credential?.method === 'password' ? credential.password : credential?.secret

describe('the settings of a connection', () => {
  const sources = {
    flag: ['--os-auth-url', addresses.flag],
    cloud: ['--os-cloud', 'lab'],
    profile: ['--profile', 'default'],
  }

  // Every set of sources, with the one that counts.
  for (const given of [
    '',
    'variables',
    'flag',
    'cloud',
    'profile',
    'variables flag',
    'variables cloud',
    'variables profile',
  ]) {
    const names = given.split(' ').filter(Boolean)
    const args = names.flatMap((name) => sources[name as keyof typeof sources] ?? [])
    const winner = (['flag', 'cloud', 'profile', 'variables'] as const).find((name) =>
      names.includes(name),
    )
    test(`are those of ${winner ?? 'the profile'}, given ${given || 'nothing'}`, async () => {
      const settings = await read(args, names.includes('variables') ? variables : {})
      assert.equal(settings.authUrl, addresses[winner ?? 'profile'])
      // No secret goes to an address that it was not stored with.
      const own = winner === 'flag' ? undefined : secrets[winner ?? 'profile']
      assert.equal(secretOf(settings), own)
    })
  }

  test('take the credentials of variables for the address of a flag, if they name no other', async () => {
    const { OS_AUTH_URL: _, ...rest } = variables
    const settings = await read(sources.flag, rest)
    assert.equal(secretOf(settings), secrets.variables)
  })

  test('never send the token of a profile whose file has another address by now', async () => {
    writeProfile(base, 'moved', {
      authUrl: 'https://evil.test',
      url: 'https://evil.test',
      isInsecure: false,
      user: 'paul',
      token: {
        secret: secrets.profile,
        expiresAt: '2099-01-01T00:00:00Z',
        authUrl: addresses.profile,
        url: addresses.profile,
      },
    })
    assert.equal((await read(['--profile', 'moved'])).credential, undefined)
    writeProfile(base, 'default', (await read(['--profile', 'default'])).profile?.content as never)
  })

  test('understand clouds.yaml, secure.yaml and the names of climc', async () => {
    const cloud = await read(['--os-cloud', 'lab'])
    assert.equal(cloud.isInsecure, true)
    assert.deepEqual(cloud.scope, { project: { name: 'web', domain: { name: 'Acme' } } })
    const climc = await read([], {
      OS_AUTH_URL: 'https://x.test',
      OS_ACCESS_KEY: 'ak',
      OS_SECRET_KEY: 'sk',
      YUNION_INSECURE: 'true',
    })
    assert.deepEqual(climc.credential, { method: 'key', accessKey: 'ak', secret: 'sk' })
    assert.equal(climc.isInsecure, true)
    const named = await read([], {
      ...variables,
      OS_DOMAIN_NAME: 'Acme',
      OS_PROJECT_NAME: 'web',
      OS_PROJECT_DOMAIN: 'Acme',
    })
    assert.deepEqual(named.scope, { project: { name: 'web', domain: { name: 'Acme' } } })
    assert.deepEqual(named.credential?.method === 'password' && named.credential.user, {
      name: 'vera',
      domain: { name: 'Acme' },
    })
  })

  test('refuse addresses with a password, and name what is missing', async () => {
    for (const url of [
      'https://a:hunter2@b.test',
      'ftp://b.test',
      'b.test',
      'https://b.test?x=1',
    ]) {
      await assert.rejects(
        read(['--os-auth-url', url]),
        (error: Error) => !error.message.includes('hunter2'),
      )
    }
    await assert.rejects(read(['--os-cloud', 'none']), /It has: lab/)
    await assert.rejects(read(['--profile', 'none']), /muster auth login --profile none/)
    await assert.rejects(read(['--os-cloud', 'lab', ...sources.flag]), /not both/)
  })

  test('are stored for their owner only', () => {
    const file = join(base.XDG_CONFIG_HOME, 'muster/profiles.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(base.XDG_CONFIG_HOME, 'muster')).mode & 0o777, 0o700)
  })
})

describe('a cached token', () => {
  const settings: Settings = {
    origin: 'test',
    authUrl: 'https://one.test',
    url: 'https://one.test',
    credential: { method: 'password', user: { name: 'ada' }, password: 'first' },
    scope: { project: { name: 'web' } },
    cacert: undefined,
    isInsecure: false,
  }
  const token = {
    secret: 'cached',
    expiresAt: '2099-01-01T00:00:00Z',
    authUrl: settings.authUrl,
    url: settings.url,
  }
  const password = (user: string, secret: string) =>
    ({ method: 'password', user: { name: user }, password: secret }) as const
  const others: Record<string, Settings> = {
    'another address': { ...settings, authUrl: 'https://two.test' },
    'another address of the API': { ...settings, url: 'https://two.test' },
    'another user': { ...settings, credential: password('eve', 'first') },
    'another password': { ...settings, credential: password('ada', 'second') },
    'another project': { ...settings, scope: { project: { name: 'db' } } },
    'no project': { ...settings, scope: undefined },
    'an access key of the same name': {
      ...settings,
      credential: { method: 'key', accessKey: 'ada', secret: 'first' },
    },
  }

  test('is used again for the same settings', () => {
    const cache = createTokenCache(base, settings)
    assert.equal(cache.read(), undefined)
    cache.write(token)
    assert.equal(createTokenCache(base, settings).read()?.secret, 'cached')
    assert.equal(statSync(join(base.XDG_CACHE_HOME, 'muster/tokens.json')).mode & 0o777, 0o600)
  })

  for (const [what, other] of Object.entries(others)) {
    test(`is not used for ${what}`, () => {
      createTokenCache(base, settings).write(token)
      assert.equal(createTokenCache(base, other).read(), undefined)
    })
  }

  test('is not used when it has expired, or was forgotten', () => {
    const cache = createTokenCache(base, settings)
    cache.write({ ...token, expiresAt: new Date(Date.now() + 30_000).toISOString() })
    assert.equal(cache.read(), undefined)
    cache.write(token)
    cache.forget()
    assert.equal(cache.read(), undefined)
  })
})
