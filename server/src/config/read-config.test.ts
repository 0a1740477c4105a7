import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { renderHelp } from './help.ts'
import { ConfigError } from './parsers.ts'
import { readConfig } from './read-config.ts'
import { settingGroups } from './setting-groups.ts'
import { settings } from './settings.ts'
import type { Setting } from './setting.ts'
import { spellings } from './spellings.ts'

type Key = keyof typeof settings

const folder = mkdtempSync(join(tmpdir(), 'muster-config-'))
after(() => rmSync(folder, { recursive: true }))
const fixture = (name: string) => join(import.meta.dirname, '../testing/fixtures', name)
const emptyFile = join(folder, 'empty.toml')
writeFileSync(emptyFile, '')
const certFile = fixture('test-only.cert.pem')
const keyFile = fixture('test-only.key.pem')

const tokenFile = join(folder, 'scrape-token')
const shortTokenFile = join(folder, 'short-token')
writeFileSync(tokenFile, 'a-token-of-a-scraper\n')
writeFileSync(shortTokenFile, 'too-short\n')

interface Sample {
  readonly good: readonly [text: string, value: unknown]
  readonly bad: readonly string[]
}

const badAddresses = [
  '',
  'example.org',
  'ftp://example.org',
  'http://',
  '/v3',
  'http:example.org',
  'http://example.org/?a=b',
  'http://example.org/#part',
  'http://example.org//',
  'http://user:password@example.org',
  'HTTPS://example.org',
  'http://example.org\nSet-Cookie: a=b',
]
const badNetworks = ['example.org', '10.0.0.0/33', '10.0.0', '10.0.0.1,nonsense', '::/129']

const webhookKey = Buffer.alloc(32, 7)
const webhookSecretFile = join(folder, 'webhook.secret')
writeFileSync(webhookSecretFile, `whsec_${webhookKey.toString('base64')}\n`)

/** A valid value of each setting with the parsed result, and invalid values. */
const samples: Record<Key, Sample> = {
  configFile: { good: [emptyFile, emptyFile], bad: ['', join(folder, 'missing.toml'), folder] },
  port: {
    good: ['9000', 9000],
    bad: ['', '-1', '65536', '80.5', '8e2', '0x50', ' 80', '80 ', 'http', '99999999999'],
  },
  host: { good: ['::1', '::1'], bad: [''] },
  dataDir: { good: ['some/folder', resolve('some/folder')], bad: [''] },
  databaseUrl: {
    good: ['postgres://muster@db/muster', 'postgres://muster@db/muster'],
    bad: ['', 'mysql://db/muster', 'db:5432', 'postgres', 'http://db/muster', 'postgres://db:x/y'],
  },
  databaseConnections: { good: ['20', 20], bad: ['', '0', '1.5', 'many', '1001'] },
  databaseWait: { good: ['2000', 2_000], bad: ['', '0', '49', '1s', '60001'] },
  databaseTimeout: { good: ['10s', 10_000], bad: ['', '0', '1.5s', 'soon'] },
  databaseSlowConnections: { good: ['2', 2], bad: ['', '0', '1.5', 'many', '1001'] },
  databaseSyncConnections: { good: ['8', 8], bad: ['', '0', '1.5', 'many', '1001'] },
  databaseSyncTimeout: { good: ['2m', 120_000], bad: ['', '0', '1.5s', 'soon'] },
  adminPassword: { good: ['a long sentence', 'a long sentence'], bad: [''] },
  secretKeyFile: { good: ['some.key', resolve('some.key')], bad: [''] },
  publicUrl: {
    good: ['https://muster.example/', 'https://muster.example'],
    bad: [
      ...badAddresses,
      'https://muster.example/x',
      'https://muster.example/x/',
      'https://muster.example/.',
    ],
  },
  authUrl: { good: ['https://id.example', 'https://id.example'], bad: badAddresses },
  baseUrl: { good: ['http://api.example:81', 'http://api.example:81'], bad: badAddresses },
  allowedHosts: {
    good: ['muster.lan, 10.0.0.1,::1,[fd00::2]', ['muster.lan', '10.0.0.1', '[::1]', '[fd00::2]']],
    bad: ['muster.lan:8400', 'http://muster.lan', '*', 'a b', '[::1', 'muster_lan/'],
  },
  roles: {
    good: ['platform, identity', ['platform', 'identity']],
    bad: ['', ',', 'everything', 'identity;platform', 'identity,other'],
  },
  queryTimeout: { good: ['30s', 30_000], bad: ['', '0', '-1', 's', '367d'] },
  sessionIdle: { good: ['30m', 1_800_000], bad: ['', '0', '-1', 'h', '367d'] },
  consoleBuild: { good: ['false', false], bad: ['', 'no', '2'] },
  mcpActions: { good: ['true', true], bad: ['', 'yes', '2'] },
  tokenTtl: {
    good: ['90m', 5_400_000],
    bad: ['', '0', '0s', '-1', '1.5h', '24 h', '1y', '367d', 'h', '9999999999', 'Infinity'],
  },
  tlsCert: {
    good: [certFile, readFileSync(certFile, 'utf8')],
    bad: ['', join(folder, 'missing.pem'), folder],
  },
  tlsKey: {
    good: [keyFile, readFileSync(keyFile, 'utf8')],
    bad: ['', join(folder, 'missing.pem'), folder],
  },
  trustedProxies: {
    good: ['10.0.0.1, 10.1.0.0/16,::1', ['10.0.0.1', '10.1.0.0/16', '::1']],
    // The framework rejects the whole internet as a proxy, so the setting does too.
    bad: [...badNetworks, '0.0.0.0/0'],
  },
  sourceAllow: {
    good: [
      '10.4.0.0/16, cas.example.org,cas,::1',
      ['10.4.0.0/16', 'cas.example.org', 'cas', '::1'],
    ],
    bad: [
      ...badNetworks.filter((text) => text !== 'example.org' && text !== '10.0.0.1,nonsense'),
      '10.0.0.1,-nonsense',
      'example..org',
      'example.org.',
      '.example.org',
      '-a.example.org',
      'exa_mple.org',
      'http://example.org',
      'example.org:443',
      'example.org/24',
      '*.example.org',
      'a.10',
      '2130706433',
      'a'.repeat(254),
    ],
  },
  taskTimeout: { good: ['20m', 1_200_000], bad: ['', '0', '-1', '1.5h', '367d', 'off'] },
  startTimeout: { good: ['20m', 1_200_000], bad: ['', '-1', '1.5h', '367d', 'off'] },
  keyConfirmation: { good: ['0', 0], bad: ['', '-1', '1.5h', '367d', 'off'] },
  serviceAccountUnused: { good: ['30d', 2_592_000_000], bad: ['', '-1', '1.5h', '367d', 'off'] },
  recycleFor: { good: ['14d', 1_209_600_000], bad: ['', '-1', '1.5h', '367d', 'off'] },
  disappearanceHold: {
    good: ['20m', 1_200_000],
    bad: ['', '-1', '1.5h', '367d', '00m', 'off'],
  },
  eventRetention: {
    good: ['30d', 2_592_000_000],
    bad: ['', '0', '0s', '-1', '1.5d', '30 d', '1y', '367d', 'd', '9999999999', 'Infinity'],
  },
  historyRetention: {
    good: ['400d', 34_560_000_000],
    bad: ['', '0', '0s', '-1', '1.5d', '30 d', '1y', '3661d', 'd', '9999999999', 'Infinity'],
  },
  demo: { good: ['true', true], bad: ['', 'yes', 'TRUE', '2', 'on', ' true'] },
  demoServers: {
    good: ['50000', 50_000],
    bad: ['', '0', '-1', '1.5', '1e3', '1_000', 'many', '2000001'],
  },
  deletedRetention: {
    good: ['7d', 604_800_000],
    bad: ['', '0', '0s', '-1', '1.5d', '30 d', '1y', '367d', 'd', '9999999999', 'Infinity'],
  },
  loginFailuresPerMinute: { good: ['5', 5], bad: ['', '-1', '1.5', 'many', '1000001'] },
  tokensPerUser: { good: ['0', 0], bad: ['', '-1', '1.5', 'many', '1000000001'] },
  accessKeysPerUser: { good: ['0', 0], bad: ['', '-1', '1.5', 'many', '1000001'] },
  cacheMemory: { good: ['8', 8], bad: ['', '7', '1.5', '64MB', '1000001'] },
  requestsPerMinute: { good: ['0', 0], bad: ['', '-1', '1.5', 'many', '100000001'] },
  eventsWebhook: {
    good: ['https://siem.example.org/in?key=a', 'https://siem.example.org/in?key=a'],
    bad: ['', 'siem.example.org', 'ftp://siem.example.org', 'https://a:b@siem.example.org'],
  },
  eventsWebhookSecret: {
    good: [`whsec_${webhookKey.toString('base64')}`, [webhookKey]],
    bad: ['', 'secret', 'whsec_', 'whsec_c2hvcnQ=', webhookKey.toString('base64')],
  },
  eventsSyslog: {
    good: ['tls://[::1]:6514', { isSecure: true, host: '::1', port: 6514 }],
    bad: ['', 'siem.example.org', 'udp://siem:514', 'tls://siem', 'tcp://siem:0', 'tcp://a@b:601'],
  },
  eventsWebhookRecords: { good: ['changes', 'changes'], bad: ['', 'all', 'events,changes'] },
  eventsSyslogRecords: { good: ['both', 'both'], bad: ['', 'none'] },
  eventsCa: {
    good: [certFile, readFileSync(certFile, 'utf8')],
    bad: ['', join(folder, 'missing.pem'), folder],
  },
  metricsTokenFile: {
    good: [tokenFile, tokenFile],
    bad: ['', join(folder, 'missing'), folder, shortTokenFile],
  },
  otlpEndpoint: { good: ['http://otel:4318/', 'http://otel:4318'], bad: badAddresses },
  otlpHeaders: {
    good: ['Authorization=Bearer%20a=b, X-Org=1', { authorization: 'Bearer a=b', 'x-org': '1' }],
    bad: ['Bearer abc', '=abc', 'a b=c', 'a=', 'a=b\nc'],
  },
  traceSampleRatio: { good: ['0.25', 0.25], bad: ['', '-1', '1.1', '2', '.5', '1e-1', 'half'] },
  region: { good: ['north-1', 'north-1'], bad: ['', 'North', 'a b', '-a', 'a'.repeat(33), 'a\nb'] },
  platformName: { good: ['acme', 'acme'], bad: ['', 'Acme', 'a:b', '-', 'a'.repeat(33), 'a\nb'] },
  logLevel: { good: ['trace', 'trace'], bad: ['', 'loud', 'INFO', '30'] },
  accessLog: { good: ['100', 100], bad: ['', '0', '-1', 'some', '1.5', '1000000'] },
  accessLogFile: { good: ['access.log', resolve('access.log')], bad: [''] },
}

/** What a setting needs beside it to make sense. */
const companions: Partial<Record<Key, readonly string[]>> = {
  otlpHeaders: ['--otlp-endpoint=http://otel:4318'],
  tlsCert: [`--tls-key=${keyFile}`],
  tlsKey: [`--tls-cert=${certFile}`],
  databaseUrl: ['--secret-key-file=some.key'],
  demoServers: ['--demo'],
  eventsWebhook: [`--events-webhook-secret-file=${webhookSecretFile}`],
  eventsWebhookSecret: ['--events-webhook=https://siem.example.org'],
}

const keys = Object.keys(settings) as Key[]
const definition = (key: Key): Setting<unknown> => settings[key]
const isSwitch = (key: Key) => definition(key).value === undefined

function configOf(args: readonly string[], environment: Record<string, string> = {}) {
  const request = readConfig(args, environment)
  assert.equal(request.kind, 'run')
  return request.config
}

function refusal(args: readonly string[], environment: Record<string, string> = {}): string {
  try {
    readConfig(args, environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError, `not a ConfigError: ${String(error)}`)
    return error.message
  }
  return assert.fail(`taken: ${JSON.stringify(args)} ${JSON.stringify(environment)}`)
}

/** Control characters would start a second line, or paint the terminal. */
const isOneLine = (message: string) => !/\p{Cc}/u.test(message)

/** Quotes must be balanced: a truncated line looks like a defect. */
const hasWholeQuotes = (message: string) => (message.match(/'/g) ?? []).length % 2 === 0

/** What is wrong with the error message of an invalid value, if anything. */
function problemWith(
  start: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): string | undefined {
  const value = JSON.stringify([...args, ...Object.values(environment)])
  let message: string
  try {
    message = refusal(args, environment)
  } catch (error) {
    return (error as Error).message
  }
  if (!message.startsWith(start)) return `${value} is not named: ${message}`
  return isOneLine(message) ? undefined : `${value} is more than a line: ${message}`
}

for (const key of keys) {
  const { flag, variable } = definition(key)
  const { good, bad } = samples[key]
  const [text, value] = good

  describe(`the setting ${variable}`, () => {
    test('is read from its variable', () => {
      const config = configOf(companions[key] ?? [], { [variable]: text })
      assert.deepEqual(config[key], value)
    })

    test('is refused by one line that names it', () => {
      const problems = bad.map((wrong) =>
        problemWith(`${variable} `, companions[key] ?? [], { [variable]: wrong }),
      )
      assert.deepEqual(problems.filter(Boolean), [])
    })

    if (flag === undefined) return

    test('is read from its flag, which wins over the variable', () => {
      const flags = [`--${flag}=${text}`, ...(companions[key] ?? [])]
      assert.deepEqual(configOf(flags)[key], value)
      // Even if the variable is invalid, because the flag overrides it.
      assert.deepEqual(configOf(flags, { [variable]: bad[0] ?? '' })[key], value)
    })

    test('is refused by one line that names the flag, where that was used', () => {
      const problems = bad.map((wrong) =>
        problemWith(`--${flag} `, [`--${flag}=${wrong}`, ...(companions[key] ?? [])]),
      )
      assert.deepEqual(problems.filter(Boolean), [])
    })

    if (isSwitch(key)) return
    test('needs a value after its flag', () => {
      for (const args of [[`--${flag}`], [`--${flag}`, '--region', 'north']]) {
        const message = refusal(args)
        assert.ok(message.includes(`--${flag}`), message)
        assert.ok(isOneLine(message) && hasWholeQuotes(message), message)
      }
    })
  })
}

describe('settings', () => {
  test('have the defaults that the help shows', () => {
    const config = configOf([])
    assert.deepEqual(
      { ...config, dataDir: undefined, secretKeyFile: undefined },
      {
        configFile: undefined,
        port: 8400,
        host: '127.0.0.1',
        dataDir: undefined,
        databaseUrl: undefined,
        databaseConnections: 10,
        databaseWait: 500,
        databaseTimeout: 5_000,
        databaseSlowConnections: 4,
        databaseSyncConnections: 4,
        databaseSyncTimeout: 60_000,
        adminPassword: undefined,
        secretKeyFile: undefined,
        publicUrl: undefined,
        authUrl: undefined,
        baseUrl: undefined,
        roles: ['identity', 'platform', 'gateway'],
        queryTimeout: 10_000,
        sessionIdle: 8 * 3_600_000,
        consoleBuild: true,
        tokenTtl: 86_400_000,
        tlsCert: undefined,
        tlsKey: undefined,
        allowedHosts: [],
        trustedProxies: [],
        sourceAllow: [],
        disappearanceHold: 900_000,
        taskTimeout: 900_000,
        startTimeout: 600_000,
        recycleFor: 604_800_000,
        keyConfirmation: 2_592_000_000,
        serviceAccountUnused: 7_776_000_000,
        eventRetention: 15_552_000_000,
        historyRetention: 34_560_000_000,
        mcpActions: false,
        demo: false,
        demoServers: undefined,
        deletedRetention: 2_592_000_000,
        loginFailuresPerMinute: 100,
        tokensPerUser: 10_000,
        accessKeysPerUser: 50,
        cacheMemory: 64,
        requestsPerMinute: 0,
        eventsWebhook: undefined,
        eventsWebhookRecords: 'both',
        eventsWebhookSecret: undefined,
        eventsSyslog: undefined,
        eventsSyslogRecords: 'both',
        eventsCa: undefined,
        metricsTokenFile: undefined,
        otlpEndpoint: undefined,
        otlpHeaders: undefined,
        traceSampleRatio: 1,
        region: 'region0',
        platformName: 'muster',
        logLevel: 'info',
        accessLog: 1,
        accessLogFile: undefined,
      },
    )
    assert.equal(config.dataDir, resolve('data'))
    assert.equal(config.secretKeyFile, resolve('data/secret.key'))
  })

  test('keep the secret key beside the data unless told otherwise', () => {
    assert.equal(configOf(['--data-dir=/d']).secretKeyFile, resolve('/d/secret.key'))
  })

  test('refuse an unknown flag, a word without a flag and an unknown variable by name', () => {
    const unknown: [string[], Record<string, string>, string][] = [
      [['--prot', '9000'], {}, '--prot'],
      [['--no-port'], {}, '--no-port'],
      [['-p', '9000'], {}, '-p'],
      [['start'], {}, 'start'],
      [['--', 'start'], {}, 'start'],
      [[], { MUSTER_PROT: '9000' }, 'MUSTER_PROT'],
      [[], { MUSTER_: '' }, 'MUSTER_'],
    ]
    for (const [args, environment, name] of unknown) {
      const message = refusal(args, environment)
      assert.ok(message.includes(name), message)
      assert.ok(message.includes('--help'), message)
      assert.ok(isOneLine(message), JSON.stringify(message))
      assert.ok(hasWholeQuotes(message), message)
    }
  })

  test('leave the variables of others alone', () => {
    assert.equal(configOf([], { PORT: '1', muster_port: '1', XMUSTER_PORT: '1' }).port, 8400)
  })

  test('have a switch that its flag alone turns on, and that can be turned off again', () => {
    assert.equal(configOf(['--demo']).demo, true)
    assert.equal(configOf(['--demo']).dataDir, resolve('data-demo'))
    assert.equal(configOf(['--demo', '--data-dir=d']).dataDir, resolve('d'))
    assert.equal(configOf([]).dataDir, resolve('data'))
    assert.equal(configOf(['--demo', '--port', '9000']).port, 9000)
    assert.equal(configOf(['--demo=false'], { MUSTER_DEMO: '1' }).demo, false)
    assert.equal(configOf([], { MUSTER_DEMO: '1' }).demo, true)
    assert.equal(configOf([], { MUSTER_DEMO: '0' }).demo, false)
    assert.match(refusal(['--demo', '5000']), /a flag was expected/)
    assert.match(refusal(['--demo', '--demo']), /--demo is given more than once/)
    assert.match(refusal(['--no-demo']), /unknown flag --no-demo/)
  })

  test('want the size of a demo only where there is one', () => {
    for (const args of [['--demo-servers=5'], ['--demo-servers=5', '--demo=false']]) {
      assert.match(refusal(args), /^--demo-servers .*--demo/)
    }
    assert.equal(configOf(['--demo', '--demo-servers', '5']).demoServers, 5)
  })

  test('want a certificate and its key together', () => {
    for (const given of [`--tls-cert=${certFile}`, `--tls-key=${keyFile}`]) {
      const message = refusal([given])
      assert.ok(message.includes('--tls-cert') && message.includes('--tls-key'), message)
    }
  })

  test('want the secret key to be named with PostgreSQL', () => {
    const message = refusal(['--database-url=postgres://db/muster'])
    assert.match(message, /MUSTER_SECRET_KEY_FILE|--secret-key-file/)
    assert.ok(isOneLine(message), message)
  })

  test('print one line whatever a value holds', () => {
    const nasty = '\u001b[31m\r\nwrong\u009b1m'
    // A password and the name of a file or host may hold anything.
    const free = new Set<Key>([
      'host',
      'dataDir',
      'adminPassword',
      'secretKeyFile',
      'accessLogFile',
    ])
    const problems = keys
      .filter((key) => !free.has(key))
      .map((key) => {
        const { variable } = definition(key)
        return problemWith(`${variable} `, companions[key] ?? [], { [variable]: nasty })
      })
    const unknown = [[`--x${nasty}`], [nasty]].map((args) => problemWith('', args))
    assert.deepEqual([...problems, ...unknown].filter(Boolean), [])
  })

  test('take an address only if it can be sent in a header, as every 401 does', () => {
    const { publicUrl } = settings
    for (const text of ['http://例え.example', 'http://example.org/ü€', 'http://example.org/\t']) {
      let taken: string | undefined
      try {
        taken = publicUrl.parse(text)
      } catch (error) {
        assert.ok(error instanceof ConfigError)
        continue
      }
      assert.match(taken ?? '', /^[\x21-\x7e]+$/)
    }
  })

  test('say what is wrong with an address', () => {
    for (const text of [
      'https://u:p@example.org',
      'HTTPS://example.org',
      'https://example.org//',
    ]) {
      assert.throws(
        () => settings.publicUrl.parse(text),
        /http or https in lower case, without user name, .* or two slashes at the end/,
      )
    }
  })

  test('refuse a path in the public URL, and say what to do instead', () => {
    assert.throws(
      () => settings.publicUrl.parse('https://example.org/muster'),
      /must not have a path: .* a host name of its own/,
    )
    assert.equal(
      settings.baseUrl.parse('https://example.org/muster'),
      'https://example.org/muster',
      'the API works behind a proxy that removes the path',
    )
  })

  test('SEC-17: keep what looks like a placeholder in an address literally', () => {
    for (const text of ['http://h/%(admin_token)s', 'http://h/${HOME}', 'http://h/{{x}}']) {
      assert.equal(settings.authUrl.parse(text), text)
    }
  })
})

describe('a secret in the wrong place', () => {
  const secret = 'planted-secret'

  test('SEC-64: is never echoed by the line that refuses it', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`
    const mistakes: [string[], Record<string, string>][] = [
      [[`--admin-password=${secret}`], {}],
      [['--admin-password', secret], {}],
      [[], { MUSTER_ADMIN_PASWORD: secret }],
      [[`--database-url=mysql://muster:${secret}@db/muster`], {}],
      [[`--database-url=muster:${secret}@db/muster`], {}],
      [[], { MUSTER_DATABASE_URL: `postgres://muster:${secret}@db:port/muster` }],
      // As variables of this name hold in other programs.
      [[], { MUSTER_TLS_KEY: pem, MUSTER_TLS_CERT: certFile }],
      [[`--tls-key=${pem}`, `--tls-cert=${certFile}`], {}],
      // The flag's name was forgotten.
      [[`postgres://muster:${secret}@db/muster`], {}],
    ]
    const echoes = mistakes
      .map(([args, environment]) => refusal(args, environment))
      .filter((message) => message.includes(secret))
    assert.deepEqual(echoes, [])
  })

  test('SEC-64: has no flag, since those show in the list of processes', () => {
    assert.equal(definition('adminPassword').flag, undefined)
    for (const key of keys) {
      const { flag } = definition(key)
      assert.doesNotMatch(flag ?? '', /password|secret$|token$/)
    }
  })
})

describe('--help', () => {
  const help = renderHelp()

  test('is asked for by both spellings, whatever else is wrong in the environment', () => {
    for (const args of [['--help'], ['-h'], ['--port', 'x', '--help']]) {
      assert.equal(readConfig(args, { MUSTER_PROT: '1' }).kind, 'help')
    }
    assert.equal(readConfig(['--version'], { MUSTER_PROT: '1' }).kind, 'version')
  })

  test('shows flag, variable, default and text of every setting', () => {
    const lines = help.slice(help.indexOf('Settings')).split('\n')
    for (const key of keys) {
      const { flag, variable, value, help: text, fallback } = definition(key)
      const at = lines.findIndex((line) => new RegExp(`\\b${variable}\\b`).test(line))
      const line = lines[at] ?? ''
      const opening = value === undefined ? ' ' : ` <${value}>`
      assert.ok(flag === undefined || line.includes(`--${flag}${opening}`), `${variable}: ${line}`)
      assert.ok(!fallback || line.includes(`[${fallback}]`), line)
      const below = lines.slice(at + 1, at + 4).map((each) => each.trim())
      assert.ok(below.join(' ').startsWith(text), text)
    }
  })

  test('has every setting in one group', () => {
    assert.deepEqual(Object.values(settingGroups).flat().toSorted(), keys.toSorted())
  })

  test('fits into 120 columns', () => {
    for (const line of help.split('\n')) assert.ok(line.length <= 120, line)
  })

  test('mentions no setting that does not exist', () => {
    const known = new Set([...spellings.map(({ flag }) => flag), '--help', '--version'])
    for (const [flag] of help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)) {
      assert.ok(known.has(flag), flag)
    }
    const variables = new Set(spellings.map(({ variable }) => variable)).add('MUSTER_')
    for (const [variable] of help.matchAll(/MUSTER_[A-Z_]+/g)) {
      assert.ok(variables.has(variable), variable)
    }
  })

  test('has examples that work as they stand', () => {
    const examples = help
      .slice(help.indexOf('Examples'), help.indexOf('Settings'))
      .split('\n')
      .filter((line) => line.includes('muster serve'))
    assert.ok(examples.length >= 3)
    for (const example of examples) {
      const [, flags = ''] = /serve (.*)$/.exec(example.replace(/ {3,}.*$/, '')) ?? []
      const args = flags.replace('/etc/muster/muster.toml', emptyFile).split(' ')
      const [, variable, value] = /(MUSTER_\w+)='([^']*)'/.exec(example) ?? []
      const environment = variable === undefined ? {} : { [variable]: value ?? '' }
      assert.equal(readConfig(args.filter(Boolean), environment).kind, 'run', example)
    }
  })
})
