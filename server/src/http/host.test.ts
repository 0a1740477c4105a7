import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { assertRawError } from '../testing/assert-error.ts'
import { askRaw } from '../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

const routes = [
  '/healthz',
  '/v3',
  '/servers',
  '/metrics',
  '/api/session',
  '/api/servers',
  '/console/',
]
const malformed = [
  'a:99999',
  '[',
  '',
  '[::1',
  '::1',
  '[1.2.3.4]',
  'a:b',
  'a:1:2',
  '1.2.3.999',
  'a,b',
]

describe('a malformed Host', () => {
  const written: string[] = []
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({
      flags: ['--trusted-proxies=127.0.0.1'],
      log: { level: 'warn', destination: { write: (text: string) => void written.push(text) } },
    })
  })
  after(() => platform.close())

  const get = (path: string, version: string, ...headers: string[]) =>
    askRaw(platform.url, [`GET ${path} HTTP/${version}`, ...headers])

  test('is 400 on every route, as is a malformed X-Forwarded-Host of a trusted proxy', async () => {
    for (const path of routes) {
      for (const host of [...malformed, 'x'.repeat(300)]) {
        for (const version of ['1.0', '1.1']) {
          assertRawError(await get(path, version, `Host: ${host}`), 'InvalidFormatError')
        }
        if (host === '' || host === 'a,b') continue
        const forwarded = ['Host: localhost', `X-Forwarded-Host: ${host}`]
        assertRawError(await get(path, '1.1', ...forwarded), 'InvalidFormatError')
      }
      const empty = await get(path, '1.1', 'Host: localhost', 'X-Forwarded-Host: a,')
      assertRawError(empty, 'InvalidFormatError')
    }
    assert.deepEqual(written, [])
  })

  test('a missing Host under HTTP/1.0 is 400 only where the host is needed', async () => {
    for (const path of ['/api/session', '/api/servers', '/api/login', '/console/']) {
      assertRawError(await get(path, '1.0'), 'InvalidFormatError')
    }
    assert.equal((await get('/healthz', '1.0')).status, 200)
    assert.equal((await get('/v3', '1.0')).status, 200)
    assert.deepEqual(written, [])
  })
})

/** GET responses by host, of a platform started with these flags. */
async function start(t: TestContext, ...flags: string[]) {
  const platform = await startPlatform({ flags })
  t.after(() => platform.close())
  return (path: string, host: string, ...headers: string[]) =>
    askRaw(platform.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers])
}

const foreign = [
  'evil.test',
  'evil.test:8400',
  'localhost.evil.test',
  '10.0.0.1',
  '0.0.0.0',
  '[::2]',
]

describe('DNS rebinding: a loopback listener', () => {
  test('accepts its own names at any port and responds 421 to other hosts', async (t) => {
    const get = await start(
      t,
      '--public-url=https://Public.test',
      '--auth-url=http://auth.test:81',
      '--base-url=http://base.test',
      '--allowed-hosts=allowed.test, 192.0.2.1,fd00::2',
    )
    const own = [
      'localhost',
      'LOCALHOST.:1',
      'a.localhost:99',
      '127.0.0.1',
      '127.9.9.9:5',
      '[::1]:2',
    ]
    const configured = ['public.test', 'auth.test', 'base.test:8', 'allowed.test', '192.0.2.1:3']
    for (const host of [...own, ...configured, '[fd00::2]:4']) {
      assert.equal((await get('/v3', host)).status, 200, host)
      assert.equal((await get('/metrics', host)).status, 200, host)
    }
    for (const host of [...foreign, 'sub.allowed.test']) {
      for (const path of [
        ...routes.slice(1),
        '/',
        '/docs',
        '/api/login',
        '/openapi.json',
        '/nowhere',
      ]) {
        assertRawError(await get(path, host), 'MisdirectedRequestError')
      }
    }
  })

  test('the error names the option to set', async (t) => {
    const get = await start(t)
    const { details } = assertRawError(await get('/', 'Muster.lan:80'), 'MisdirectedRequestError')
    assert.match(details, /muster\.lan \(header Host\).*--allowed-hosts muster\.lan .*--public-url/)
  })

  test('serves /healthz and /readyz under any name', async (t) => {
    const get = await start(t)
    for (const host of foreign) {
      for (const path of ['/healthz', '/readyz']) assert.equal((await get(path, host)).status, 200)
    }
  })

  test('requires both Host and the forwarded host of a trusted proxy to be its own', async (t) => {
    const get = await start(t, '--trusted-proxies=127.0.0.1', '--allowed-hosts=own.test')
    const forwarded = (host: string) => `X-Forwarded-Host: ${host}`
    assert.equal((await get('/v3', 'localhost', forwarded('own.test'))).status, 200)
    for (const [host, said] of [
      ['evil.test', 'own.test'],
      ['own.test', 'evil.test'],
    ] as const) {
      const answer = await get('/v3', host, forwarded(said))
      assertRawError(answer, 'MisdirectedRequestError')
    }
  })

  test('ignores X-Forwarded-Host of untrusted peers', async (t) => {
    const get = await start(t)
    assert.equal((await get('/v3', 'localhost', 'X-Forwarded-Host: evil.test')).status, 200)
    const answer = await get('/v3', 'evil.test', 'X-Forwarded-Host: localhost')
    assertRawError(answer, 'MisdirectedRequestError')
  })

  test('also checks a gateway without an API', async (t) => {
    const upstream = ['--auth-url=http://auth.test', '--base-url=http://base.test']
    const get = await start(t, '--roles=gateway', ...upstream)
    assertRawError(await get('/api/login', 'evil.test'), 'MisdirectedRequestError')
    assert.equal((await get('/api/login', 'localhost')).status, 200)
  })
})

describe('a listener on all addresses', () => {
  test('accepts any name, but serves metrics only under its own names', async (t) => {
    const get = await start(t, '--host=0.0.0.0')
    assert.equal((await get('/v3', 'evil.test')).status, 200)
    assertRawError(await get('/metrics', 'evil.test'), 'UnauthorizedError')
    assert.equal((await get('/metrics', 'localhost')).status, 200)
  })

  test('accepts only --allowed-hosts if they are set', async (t) => {
    const get = await start(t, '--host=0.0.0.0', '--allowed-hosts=own.test')
    assert.equal((await get('/v3', 'own.test')).status, 200)
    assert.equal((await get('/v3', 'localhost')).status, 200)
    assertRawError(await get('/v3', 'evil.test'), 'MisdirectedRequestError')
  })
})
