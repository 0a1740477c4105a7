import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { OpenApiDocument, Token } from '@muster/contract'
import pg from 'pg'
import { ask, loginAdmin, passwordIdentity, requestToken, secretOf } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { readWelcome, spawnMuster, spawnProcess, temporaryFolder } from './testing/spawn-muster.ts'
import { startPlatform, type TestPlatform } from './testing/start-platform.ts'

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The request that a printed curl line makes, for machines without curl. */
function readCurl(line: string): { url: string; body: string } {
  const [, url = '', body = ''] = /^curl -si (\S+) .* -d '(.*)'$/.exec(line) ?? []
  return { url, body }
}

describe('the first start', () => {
  test('prints the addresses, a password once and a login command that works', async (t) => {
    const flags = [`--data-dir=${temporaryFolder(t)}/data`]
    const first = await spawnMuster(t, { flags })
    assert.match(first.authUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(first.baseUrl, first.authUrl)
    const { password = '' } = first
    // 128 random bits at least, in an alphabet that no shell touches.
    assert.match(password, /^[\w-]{22,}$/)

    const { url, body } = readCurl(first.curl)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(answer.status, 201)
    const { token } = (await answer.json()) as { token: Token }
    assert.equal(token.project.Name, 'system')

    if (spawnSync('curl', ['--version']).status === 0) {
      const { stdout, status } = spawnSync(first.curl, { shell: true, encoding: 'utf8' })
      assert.equal(status, 0)
      assert.match(stdout, /^HTTP\/1\.1 201 /)
      assert.match(stdout, /^x-subject-token: mt1_/im)
    }

    const { code, stdout, stderr } = await first.end('SIGTERM')
    assert.equal(code, 0)
    assert.equal(stdout.match(/password {2,}/g)?.length, 1)
    assert.ok(!stderr.includes(password), 'the password is in the log')

    const second = await spawnMuster(t, { flags })
    assert.equal(second.password, undefined)
    assert.ok(!second.stdout().includes(password))
    const [, command = ''] = /^ +(printf .* curl .*)$/m.exec(second.stdout()) ?? []
    assert.notEqual(command, '')
    if (spawnSync('bash', ['-c', 'curl --version']).status === 0) {
      const options = { input: `${password}\n`, encoding: 'utf8' } as const
      assert.match(spawnSync('bash', ['-c', command], options).stdout, /^Password: HTTP\/1\.1 201 /)
    }
    const identity = passwordIdentity('sysadmin', password)
    secretOf(await requestToken(second.authUrl, { identity }))
  })

  test('uses MUSTER_ADMIN_PASSWORD only once: a later value changes nothing', async (t) => {
    const flags = [`--data-dir=${temporaryFolder(t)}/data`]
    const start = (password: string) =>
      spawnMuster(t, { flags, environment: { MUSTER_ADMIN_PASSWORD: password } })
    const first = await start('the very first sentence')
    assert.equal(first.password, undefined)
    await first.end('SIGKILL')
    // The weak password is not checked: the variable applies to the first start only.
    const second = await start('weak')
    const login = (password: string) =>
      requestToken(second.authUrl, { identity: passwordIdentity('sysadmin', password) })
    assert.equal((await login('weak')).status, 401)
    assert.equal((await login('the very first sentence')).status, 201)
  })

  test('of two processes on one PostgreSQL creates one admin, and both start', async (t) => {
    const databaseUrl = await createTestDatabase()
    const flags = [
      `--database-url=${databaseUrl}`,
      `--secret-key-file=${temporaryFolder(t)}/keys/secret.key`,
    ]
    const both = await Promise.all([spawnMuster(t, { flags }), spawnMuster(t, { flags })])
    const [password, ...others] = both.flatMap((muster) => muster.password ?? [])
    assert.deepEqual(others, [])
    const identity = passwordIdentity('sysadmin', password ?? '')
    for (const { authUrl } of both) secretOf(await requestToken(authUrl, { identity }))

    const client = new pg.Client(databaseUrl)
    await client.connect()
    const { rows } = await client.query('select name from users')
    await client.end()
    assert.deepEqual(rows, [{ name: 'sysadmin' }])
  })
})

describe('the addresses', () => {
  const urls = ['https://id.example', 'https://api.example/x'] as const

  async function welcomeWith(t: { after(work: () => unknown): void }, flags: readonly string[]) {
    const folder = temporaryFolder(t)
    const port = await findFreePort()
    const muster = spawnProcess(t, {
      flags: [`--data-dir=${folder}/data`, `--port=${port}`, ...flags],
    })
    await muster.printed("-d '{")
    return readWelcome(muster.stdout())
  }

  test('are those of --public-url in the welcome', async (t) => {
    const welcome = await welcomeWith(t, ['--public-url=https://muster.example/'])
    assert.deepEqual(
      [welcome.authUrl, welcome.baseUrl],
      ['https://muster.example', 'https://muster.example'],
    )
    assert.equal(readCurl(welcome.curl).url, 'https://muster.example/v3/auth/tokens')
  })

  test('are those of --auth-url and --base-url in the welcome, if set', async (t) => {
    const [authUrl, baseUrl] = urls
    const welcome = await welcomeWith(t, [
      '--public-url=https://muster.example',
      `--auth-url=${authUrl}`,
      `--base-url=${baseUrl}`,
    ])
    assert.deepEqual([welcome.authUrl, welcome.baseUrl], urls)
    assert.equal(readCurl(welcome.curl).url, `${authUrl}/v3/auth/tokens`)
  })

  describe('in responses', () => {
    let platform: TestPlatform
    before(async () => {
      const [authUrl, baseUrl] = urls
      platform = await startPlatform({
        flags: [`--auth-url=${authUrl}/`, `--base-url=${baseUrl}/`],
      })
    })
    after(() => platform.close())

    test('are in the catalog, under every interface', async () => {
      const token = await loginAdmin(platform.url)
      const { body } = await ask<{ catalog: Token['catalog'] }>(platform.url, '/v3/auth/catalog', {
        token,
      })
      const endpoints = body.catalog.map(({ type, endpoints }) => [
        type,
        [...new Set(endpoints.map(({ url }) => url))],
      ])
      assert.deepEqual(endpoints, [
        ['identity', ['https://id.example/v3']],
        ['compute_v2', ['https://api.example/x']],
        ['log', ['https://api.example/x']],
      ])
    })

    test('are in the version documents', async () => {
      const version = await ask<{ version: { links: { href: string }[] } }>(platform.url, '/v3')
      assert.equal(version.body.version.links[0]?.href, 'https://id.example/v3/')
      const root = await ask<{ endpoints: object }>(platform.url, '/')
      assert.deepEqual(root.body.endpoints, { auth_url: urls[0], base_url: urls[1] })
    })

    test('are in the OpenAPI document and in the WWW-Authenticate header of a 401', async () => {
      const { body } = await ask<OpenApiDocument>(platform.url, '/openapi.json')
      assert.deepEqual(body.servers, [{ url: urls[0] }, { url: urls[1] }])
      const refused = await ask(platform.url, '/v3/auth/projects')
      assert.equal(refused.headers.get('www-authenticate'), `Keystone uri="${urls[0]}"`)
    })
  })
})

describe('a process without the role identity', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ flags: ['--roles=platform'] })
  })
  after(() => platform.close())

  test('has no route under /v3', async () => {
    const auth = { identity: passwordIdentity('sysadmin', 'x') }
    for (const answer of [
      await requestToken(platform.url, auth),
      await ask(platform.url, '/v3'),
      await ask(platform.url, '/v3/auth/tokens', { method: 'DELETE' }),
      await ask(platform.url, '/v3/auth/catalog'),
    ]) {
      assert.equal(answer.status, 404)
      assert.equal(answer.body.class, 'NotFoundError')
    }
    assert.equal((await ask(platform.url, '/readyz')).status, 200)
  })

  test('documents no route under /v3', async () => {
    const { body } = await ask<OpenApiDocument>(platform.url, '/openapi.json')
    const paths = Object.keys(body.paths)
    assert.ok(paths.includes('/healthz'))
    assert.deepEqual(
      paths.filter((path) => path.startsWith('/v3')),
      [],
    )
  })
})
