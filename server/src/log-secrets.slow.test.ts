import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import pg from 'pg'
import { ask, passwordIdentity, requestToken, secretOf, tokenIdentity } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { openSocket, sendRaw } from './testing/raw-socket.ts'
import { spawnMuster, suiteLifetime, temporaryFolder, type Muster } from './testing/spawn-muster.ts'
import { startDatabaseProxy, throughProxy, type TcpProxy } from './testing/tcp-proxy.ts'

/** One for each place, so that a leak tells where it came from. */
const places = [
  'password',
  'wrongpassword',
  'username',
  'token',
  'unknownmethod',
  'straysection',
  'accesskeysecret',
  'casticket',
  'authtoken',
  'subjecttoken',
  'cookie',
  'authorization',
  'databaseurl',
  'query',
  'malformed',
  'oversize',
  'framing',
  'brokenoff',
  'outage',
] as const
type Place = (typeof places)[number]
const marker = (place: Place) => `canary0${place}0canary`

/** A forged token with a valid checksum, which is looked up in the database. */
function forgeToken(place: Place): string {
  const body = `mt1_${marker(place).padEnd(43, '0')}`
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return body + check.toString('base64url')
}

/** Everything that a caller could see of an answer. */
const visible = ({ status, headers, text }: { status: number; headers: Headers; text: string }) =>
  `${status} ${JSON.stringify([...headers])} ${text}`

const adminPassword = marker('password')

/** Requests with a secret in every place where one can be. */
async function askWithSecrets(url: string, token: string): Promise<string[]> {
  const logins: [Place, unknown][] = [
    ['wrongpassword', passwordIdentity('sysadmin', marker('wrongpassword'))],
    ['username', passwordIdentity(marker('username'), 'x')],
    ['token', tokenIdentity(`mt1_${marker('token')}`)],
    ['token', tokenIdentity(forgeToken('token'))],
    ['unknownmethod', { methods: ['totp'], totp: { passcode: marker('unknownmethod') } }],
    [
      'straysection',
      { ...tokenIdentity(token), password: { user: { id: marker('straysection') } } },
    ],
    ['straysection', { ...passwordIdentity('sysadmin', 'x'), sms: marker('straysection') }],
    ['accesskeysecret', { methods: ['aksk'], access_key_secret: marker('accesskeysecret') }],
    [
      'accesskeysecret',
      { methods: ['access_key_secret'], access_key_secret: { secret: marker('accesskeysecret') } },
    ],
    ['casticket', { methods: ['cas'], cas_ticket: { id: `ST-${marker('casticket')}` } }],
    ['casticket', { methods: ['cas_ticket'], cas_ticket: `ST-${marker('casticket')}` }],
  ]
  const answers = [
    ...(await Promise.all(logins.map(([, identity]) => requestToken(url, { identity })))),
    await ask(url, '/v3/auth/projects', { token: marker('authtoken') }),
    await ask(url, '/v3/auth/projects', { token: forgeToken('authtoken') }),
    ...(await Promise.all(
      ['GET', 'HEAD', 'DELETE'].map((method) =>
        ask(url, '/v3/auth/tokens', {
          method,
          token,
          headers: { 'x-subject-token': forgeToken('subjecttoken') },
        }),
      ),
    )),
    await ask(url, '/v3/auth/projects', {
      headers: {
        cookie: `muster_session=${marker('cookie')}; __Host-muster=${marker('cookie')}`,
        authorization: `Bearer ${marker('authorization')}`,
      },
    }),
    ...(await Promise.all(
      ['/healthz', '/v3/auth/tokens', '/nowhere', '/docs', '/metrics'].map((path) =>
        ask(url, `${path}?token=${marker('query')}&password=${marker('query')}%zz`, { token }),
      ),
    )),
    ...(await Promise.all(
      [
        `{"auth": {"password": "${marker('malformed')}`,
        `{"auth": "${marker('malformed')}", "auth": "${marker('malformed')}"}`,
        `"${marker('malformed')}"`,
        `${'['.repeat(40)}"${marker('malformed')}"${']'.repeat(40)}`,
        Buffer.from([0xff, ...Buffer.from(marker('malformed'))]),
        `{"auth": {"identity": {"methods": ["password"], "password": "${marker('malformed')}"}}}`,
      ].map((body) => ask(url, '/v3/auth/tokens', { method: 'POST', body })),
    )),
    await ask(url, '/v3/auth/tokens', {
      method: 'POST',
      body: marker('malformed'),
      headers: { 'content-type': `text/plain` },
    }),
    await ask(url, '/v3/auth/tokens', {
      method: 'POST',
      body: JSON.stringify({ auth: marker('oversize').repeat(4_000) }),
    }),
  ]
  for (const answer of answers) assert.ok(answer.status >= 400, visible(answer))
  return answers.map(visible)
}

/** Requests that no client library would send. */
async function askBrokenly(url: string): Promise<string[]> {
  const head = 'POST /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json'
  const login = JSON.stringify({
    auth: { identity: passwordIdentity('sysadmin', marker('framing')) },
  })
  const oversize = `X-Auth-Token: ${marker('oversize').repeat(1_000)}`
  const framing = `X-Auth-Token: ${marker('framing')}`
  const exchanges = await Promise.all(
    [
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${oversize}\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n folded\r\n: ${marker('framing')}\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${framing}\0\r\n\r\n`,
      `${head}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${framing}\r\n\r\n${login}`,
      `${head}\r\nTransfer-Encoding: chunked\r\n\r\nzz${marker('framing')}\r\n${login}\r\n`,
      `${marker('framing')} / HTTP/9.9\r\n\r\n`,
    ].map((text) => sendRaw(url, text)),
  )
  const brokenOff = openSocket(url)
  const body = JSON.stringify({ auth: marker('brokenoff') })
  brokenOff.write(
    `${head}\r\nX-Auth-Token: ${marker('brokenoff')}\r\nContent-Length: 999\r\n\r\n${body}`,
  )
  // Once this has an answer, the one above has been read.
  await ask(url, '/healthz')
  brokenOff.destroy()
  return exchanges.map(({ text }) => text)
}

const leaksIn = (texts: Readonly<Record<string, string>>): string[] =>
  Object.entries(texts).flatMap(([where, text]) =>
    places.filter((place) => text.includes(marker(place))).map((place) => `${place} in ${where}`),
  )

const readFolder = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

async function readDatabase(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  )
  const dumps: unknown[] = []
  for (const { name } of rows) dumps.push((await client.query(`select * from ${name}`)).rows)
  await client.end()
  return JSON.stringify(dumps)
}

describe('secrets on SQLite', () => {
  const lifetime = suiteLifetime()
  const answers: string[] = []
  let folder: string
  let muster: Muster
  let token: string
  let metrics: string
  before(async () => {
    folder = temporaryFolder(lifetime)
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${folder}/data`, '--log-level=trace'],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    const identity = passwordIdentity('sysadmin', adminPassword)
    token = secretOf(await requestToken(muster.authUrl, { identity }))
    answers.push(...(await askWithSecrets(muster.authUrl, token)))
    answers.push(...(await askBrokenly(muster.authUrl)))
    metrics = (await ask(muster.authUrl, '/metrics')).text
  })

  test('SEC-64: are not in the trace log, in files, in metrics or in responses', async () => {
    const running = readFolder(folder)
    const { code, stdout, stderr } = await muster.end('SIGTERM')
    assert.equal(code, 0)
    assert.ok(stderr.split('\n').length > answers.length / 2, 'hardly anything was logged')
    const files = running + readFolder(folder)
    assert.deepEqual(leaksIn({ stdout, stderr, files, metrics, answers: answers.join('\n') }), [])
    // The real ones, which carry no marker.
    for (const text of [stdout, stderr, files, metrics, ...answers]) {
      assert.ok(!text.includes(token))
      assert.ok(!text.includes(token.slice(4, 47)), 'the random part of the token')
    }
  })
})

describe('secrets on PostgreSQL', () => {
  const lifetime = suiteLifetime()
  const answers: string[] = []
  let folder: string
  let muster: Muster
  let databaseUrl: string
  let proxy: TcpProxy
  let token: string
  before(async () => {
    folder = temporaryFolder(lifetime)
    databaseUrl = await createTestDatabase()
    proxy = await startDatabaseProxy(lifetime, databaseUrl)
    muster = await spawnMuster(lifetime, {
      flags: [
        `--database-url=${throughProxy(databaseUrl, proxy, marker('databaseurl'))}`,
        `--secret-key-file=${folder}/secret.key`,
        '--log-level=trace',
      ],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    const identity = passwordIdentity('sysadmin', adminPassword)
    token = secretOf(await requestToken(muster.authUrl, { identity }))
    answers.push(...(await askWithSecrets(muster.authUrl, token)))
  })

  test('SEC-64: are not in the log, even if requests fail', async () => {
    const { authUrl } = muster
    const client = new pg.Client(databaseUrl)
    await client.connect()
    // An unexpected error: 500.
    await client.query('alter table login_attempts rename to hidden')
    const login = () =>
      requestToken(authUrl, { identity: passwordIdentity('sysadmin', marker('outage')) })
    const failed = await login()
    assert.equal(failed.status, 500)
    await client.query('alter table hidden rename to login_attempts')
    await client.end()
    // An expected error: 503.
    proxy.cut()
    const refused = [
      await login(),
      await ask(authUrl, '/v3/auth/projects', { token: forgeToken('outage') }),
      await ask(authUrl, '/readyz'),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [503, 503, 503],
    )
    const { text: metrics } = await ask(authUrl, '/metrics')
    answers.push(...[failed, ...refused].map(visible))

    const { stdout, stderr } = await muster.end('SIGTERM')
    assert.match(stderr, /"err":/)
    const data = await readDatabase(databaseUrl)
    assert.ok(data.includes('sysadmin'))
    const texts = { stdout, stderr, data, files: readFolder(folder), metrics }
    assert.deepEqual(leaksIn({ ...texts, answers: answers.join('\n') }), [])
    for (const text of [...Object.values(texts), ...answers]) assert.ok(!text.includes(token))
  })
})

describe('a secret in the path', () => {
  const lifetime = suiteLifetime()

  test('SEC-64: is not logged, neither a token nor the credentials of an absolute URL', async () => {
    const muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${temporaryFolder(lifetime)}/data`],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    const identity = passwordIdentity('sysadmin', adminPassword)
    const token = secretOf(await requestToken(muster.authUrl, { identity }))
    // A login in the format of Keystone v2, which people still try.
    await ask(muster.authUrl, `/v3/auth/tokens/${token}`, { token })
    await sendRaw(
      muster.authUrl,
      `GET http://sysadmin:${adminPassword}@localhost/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    const { stderr } = await muster.end('SIGTERM')
    assert.ok(stderr.includes('nowhere'), 'the requests are logged')
    assert.ok(!stderr.includes(token), 'the token is in the log')
    assert.ok(!stderr.includes(adminPassword), 'the password is in the log')
  })
})
