import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { ask, passwordIdentity } from './testing/client.ts'
import { sendRaw } from './testing/raw-socket.ts'
import { spawnMuster, suiteLifetime, temporaryFolder, type Muster } from './testing/spawn-muster.ts'
import { adminPassword, startPlatform } from './testing/start-platform.ts'

const fixture = (name: string) => join(import.meta.dirname, 'testing/fixtures', name)
const ca = readFileSync(fixture('test-only.cert.pem'))

interface Options {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

async function askSecurely(url: string, path: string, options: Options = {}) {
  const { method = 'GET', headers = {}, body } = options
  const outgoing = request(url + path, { method, headers, ca, agent: false }).end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

describe('TLS', () => {
  const lifetime = suiteLifetime()
  let muster: Muster
  before(async () => {
    muster = await spawnMuster(lifetime, {
      flags: [
        `--data-dir=${temporaryFolder(lifetime)}/data`,
        `--tls-cert=${fixture('test-only.cert.pem')}`,
        `--tls-key=${fixture('test-only.key.pem')}`,
      ],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
  })

  test('is used with a certificate and its key, and the printed addresses are https', async () => {
    assert.match(muster.authUrl, /^https:/)
    const answer = await askSecurely(muster.authUrl, '/v3/auth/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity: passwordIdentity('sysadmin', adminPassword) } }),
    })
    assert.equal(answer.status, 201)
  })

  test('sends HSTS for a year in every response', async () => {
    for (const path of ['/healthz', '/v3/auth/projects', '/nowhere', '/docs']) {
      const { headers } = await askSecurely(muster.authUrl, path)
      const [, seconds] = /max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '') ?? []
      assert.ok(Number(seconds) >= 31_536_000, path)
    }
  })

  test('plain HTTP on its port fails, and the server keeps running', async () => {
    const plain = await sendRaw(muster.authUrl, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.ok(plain.closed)
    assert.ok(!plain.text.includes('ok'))
    const garbage = await sendRaw(muster.authUrl, '\x16\x03\x01\x00\x05\xff\xff\xff\xff\xff')
    assert.ok(garbage.closed)
    assert.equal((await askSecurely(muster.authUrl, '/healthz')).status, 200)
    for (const line of muster.stderr().trimEnd().split('\n')) JSON.parse(line)
  })

  test('without it no HSTS is sent', async (t) => {
    const platform = await startPlatform()
    t.after(() => platform.close())
    const { headers } = await ask(platform.url, '/healthz')
    assert.equal(headers.get('strict-transport-security'), null)
  })
})
