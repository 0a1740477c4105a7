import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRawError } from '../testing/error-answer.ts'
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

  test('is 400 on every route, and so is a malformed X-Forwarded-Host of a trusted proxy', async () => {
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

  test('none under HTTP/1.0 is 400 where the host is needed, and fine elsewhere', async () => {
    for (const path of ['/api/session', '/api/servers', '/api/login', '/console/']) {
      assertRawError(await get(path, '1.0'), 'InvalidFormatError')
    }
    assert.equal((await get('/healthz', '1.0')).status, 200)
    assert.equal((await get('/v3', '1.0')).status, 200)
    assert.deepEqual(written, [])
  })
})
