import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
} from '../../testing/client.ts'
import { createTestDatabase } from '../../testing/engines.ts'
import { sendRaw } from '../../testing/raw-socket.ts'
import {
  repository,
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../testing/spawn-muster.ts'
import { adminPassword } from '../../testing/start-platform.ts'
import { startDatabaseProxy, throughProxy, type TcpProxy } from '../../testing/tcp-proxy.ts'

const publicUrl = 'https://public.example'

/** The local address; the startup message names the public one. */
async function findAddress(muster: Muster): Promise<string> {
  const [, address = ''] = /Server listening at (http:\S+?)"/.exec(muster.stderr()) ?? []
  return address || (await new Promise(setImmediate), findAddress(muster))
}

const versionOf = (name: string) =>
  (
    JSON.parse(readFileSync(join(repository, `node_modules/${name}/package.json`), 'utf8')) as {
      version: string
    }
  ).version

/** Patterns that reveal internals of the installation. */
const telltales: readonly (string | RegExp)[] = [
  repository,
  hostname(),
  process.version,
  ...['node', 'v8', 'openssl', 'sqlite'].flatMap((name) => process.versions[name] ?? []),
  ...['fastify', 'pg', 'kysely', 'pino'].map(versionOf),
  // A stack frame or a source location.
  /\n\s+at |\\n\s+at |\.[cm]?[jt]s:\d|node_modules|node:internal/,
  /\b(?:select|insert into|delete from|update \w+ set|pragma|relation|no such table|column)\b/i,
  /sqlite|postgres|kysely|fastify|libpq|ECONN|EACCES|ENOENT|errno|syscall/i,
  /127\.0\.0\.1|localhost|\bmuster\.(?:db|lock)\b|secret\.key|\/tmp\/|\/dev\/shm\/|\/home\/|\/root\//,
]

const finds = (text: string, telltale: string | RegExp) =>
  typeof telltale === 'string' ? text.includes(telltale) : telltale.test(text)

const leaksIn = (texts: readonly string[], more: readonly string[]): string[] =>
  texts.flatMap((text) =>
    [...telltales, ...more]
      .filter((telltale) => finds(text, telltale))
      .map((telltale) => `${telltale.toString()} in ${text.slice(0, 300)}`),
  )

type Answer = Awaited<ReturnType<typeof ask>>
const visible = ({ status, headers, text }: Answer) =>
  [status, ...[...headers].map(([name, value]) => `${name}: ${value}`), text].join('\n')

/** Only the token operation returns the caller's address. */
const login = (url: string, password = 'a wrong sentence') =>
  requestToken(url, { identity: passwordIdentity('sysadmin', password) })

describe('internals in responses', () => {
  const lifetime = suiteLifetime()
  let folder: string
  let muster: Muster
  let url: string
  let token: string
  before(async () => {
    folder = temporaryFolder(lifetime)
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${folder}/data`, `--public-url=${publicUrl}`],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    url = await findAddress(muster)
    token = secretOf(await login(url, adminPassword))
  })

  test('SEC-65: errors contain no host, path, SQL, stack or version', async () => {
    const answers = [
      await login(url),
      await requestToken(url, {}),
      await requestToken(url, { identity: tokenIdentity("' or 1=1 --") }),
      await ask(url, '/v3/auth/tokens', { method: 'POST', body: '{"auth": nonsense' }),
      await ask(url, '/v3/auth/tokens', { method: 'POST', body: 'x'.repeat(70_000) }),
      await ask(url, '/v3/auth/tokens', {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/x' },
      }),
      await ask(url, '/v3/auth/tokens', { token, headers: { 'x-subject-token': 'mt1_x' } }),
      await ask(url, '/v3/auth/projects'),
      await ask(url, '/nowhere'),
      await ask(url, '/healthz', { method: 'PUT' }),
      await ask(url, '/%zz'),
      await ask(url, '/healthz?x=1'),
      await ask(url, '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } }),
    ]
    assert.deepEqual(
      [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b),
      [400, 401, 404, 405, 413, 415],
    )
    const raw = [
      await sendRaw(url, 'nonsense\r\n\r\n'),
      await sendRaw(url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    ]
    const texts = [...answers.map(visible), ...raw.map(({ text }) => text)]
    assert.deepEqual(leaksIn(texts, [folder]), [])
  })

  test('SEC-65: /healthz, /readyz and /metrics contain none either', async () => {
    const answers = [
      await ask(url, '/healthz'),
      await ask(url, '/readyz'),
      await ask(url, '/metrics'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.deepEqual(leaksIn(answers.map(visible), [folder]), [])
    for (const { headers } of answers) {
      assert.equal(headers.get('server'), null)
      assert.equal(headers.get('x-powered-by'), null)
    }
  })

  test('SEC-65, REL-26: an unexpected error is a 500 without details, which are in the log', async () => {
    const database = new DatabaseSync(`${folder}/data/muster.db`)
    database.exec('alter table users rename to hidden')
    const failed = await login(url, adminPassword)
    database.exec('alter table hidden rename to users')
    database.close()
    assert.deepEqual([failed.status, failed.body.class], [500, 'InternalServerError'])
    assert.deepEqual(leaksIn([visible(failed)], [folder]), [])
    // The log is a separate stream and may lag behind the response.
    const entry = await eventually('the error is in the log', () =>
      muster
        .stderr()
        .split('\n')
        .find((line) => line.includes('"err"') && line.includes(failed.body.request_id)),
    )
    assert.match(entry, /no such table/)
  })
})

describe('internals in responses with PostgreSQL', () => {
  const lifetime = suiteLifetime()
  let muster: Muster
  let url: string
  let databaseUrl: string
  let proxy: TcpProxy
  before(async () => {
    databaseUrl = await createTestDatabase()
    proxy = await startDatabaseProxy(lifetime, databaseUrl)
    muster = await spawnMuster(lifetime, {
      flags: [
        `--database-url=${throughProxy(databaseUrl, proxy)}`,
        `--secret-key-file=${temporaryFolder(lifetime)}/secret.key`,
        `--public-url=${publicUrl}`,
      ],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    url = await findAddress(muster)
  })

  test('SEC-65: a database error or outage reveals neither address nor product', async () => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query('alter table users rename to hidden')
    const failed = await login(url, adminPassword)
    await client.query('alter table hidden rename to users')
    await client.end()
    assert.equal(failed.status, 500)
    proxy.cut()
    const away = [await ask(url, '/readyz'), await login(url), await ask(url, '/metrics')]
    assert.deepEqual(
      away.map(({ status }) => status),
      [503, 503, 200],
    )
    const { pathname, port } = new URL(databaseUrl)
    const texts = [failed, ...away].map(visible)
    assert.deepEqual(leaksIn(texts, [pathname.slice(1), `:${port}`, `:${proxy.port}`]), [])
  })
})
