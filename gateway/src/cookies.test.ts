import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { askRaw } from '../../server/src/testing/raw-socket.ts'
import { adminPassword, startPlatform } from '../../server/src/testing/start-platform.ts'
import { createBrowser } from './testing/browser.ts'

const login = JSON.stringify({ name: 'sysadmin', password: adminPassword })

async function start(t: TestContext, flags: readonly string[] = []) {
  const platform = await startPlatform({
    flags: ['--allowed-hosts=muster.lan,m.example', ...flags],
  })
  t.after(() => platform.close())
  /** Logs in as a browser does that sees the platform under this origin. */
  async function logIn(origin: string, more: readonly string[] = []) {
    return await askRaw(
      platform.url,
      [
        'POST /api/session HTTP/1.1',
        `Host: ${new URL(origin).host}`,
        `Origin: ${origin}`,
        'Content-Type: application/json',
        `Content-Length: ${login.length}`,
        ...more,
      ],
      login,
    )
  }
  return { platform, logIn }
}

describe('SEC-51 the cookie', () => {
  test('SEC-51 is bound to the host, HttpOnly and Secure', async (t) => {
    const { logIn, platform } = await start(t)
    const { port } = new URL(platform.url)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      const { status, headers } = await logIn(`http://${host}`)
      assert.equal(status, 201, host)
      const cookie = headers['set-cookie'] ?? ''
      const [pair = '', ...attributes] = cookie.split('; ')
      assert.match(pair, /^__Host-muster=[\w-]{22}\.[\w-]{43}$/)
      assert.deepEqual(attributes, ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure'])
    }
  })

  test('SEC-51 has the same attributes behind a TLS proxy', async (t) => {
    const { logIn } = await start(t, ['--public-url=https://muster.example'])
    const { headers } = await logIn('https://muster.example')
    assert.match(headers['set-cookie'] ?? '', /^__Host-muster=.*; Secure/)
    const proxied = await start(t, ['--trusted-proxies=127.0.0.1'])
    const answer = await proxied.logIn('https://m.example', ['X-Forwarded-Proto: https'])
    assert.match(answer.headers['set-cookie'] ?? '', /^__Host-muster=.*; Secure/)
  })

  test('SEC-51 has a name without prefix over plain HTTP', async (t) => {
    const { logIn } = await start(t)
    // The proxy is not trusted, so its headers are ignored.
    const { headers } = await logIn('http://muster.lan', ['X-Forwarded-Proto: https'])
    const cookie = headers['set-cookie'] ?? ''
    assert.match(cookie, /^muster_session=[\w-]{22}\.[\w-]{43}; /)
    assert.match(cookie, /; HttpOnly; SameSite=Lax$/)
  })

  test('is ignored if it is sent twice', async (t) => {
    const { logIn, platform } = await start(t)
    const { headers } = await logIn('http://muster.lan')
    const pair = (headers['set-cookie'] ?? '').split(';')[0] ?? ''
    const ask = (cookie: string) =>
      askRaw(platform.url, ['GET /api/session HTTP/1.1', 'Host: muster.lan', `Cookie: ${cookie}`])
    assert.equal((await ask(pair)).status, 200)
    assert.equal((await ask(`a=b; ${pair}; c=d`)).status, 200)
    assert.equal((await ask(`${pair}; ${pair}`)).status, 401)
    assert.equal((await ask(`${pair}; muster_session=planted`)).status, 401)
  })
})

test('SEC-51 no response to a browser contains a token', async (t) => {
  const { platform } = await start(t)
  const browser = createBrowser(platform.url)
  const seen: string[] = []
  const look = async (path: string, options?: Parameters<typeof browser.ask>[1]) => {
    const { status, headers, text } = await browser.ask(path, options)
    assert.equal(headers.get('x-subject-token'), null)
    seen.push(path, text, JSON.stringify([...headers]), String(headers.getSetCookie()))
    return status
  }
  await look('/api/login')
  const body = { name: 'sysadmin', password: adminPassword }
  assert.equal(await look('/api/session', { method: 'POST', body }), 201)
  assert.equal(await look('/api/session'), 200)
  assert.equal(await look('/api/sessions'), 200)
  const catalog = await look('/api/v3/auth/catalog')
  assert.equal(catalog, 200)
  for (const method of ['GET', 'POST', 'DELETE']) {
    assert.equal(await look('/api/v3/auth/tokens', { method }), 404, method)
  }
  assert.equal((await browser.fetchRaw('/api/v3/auth/tokens', { method: 'HEAD' })).status, 404)
  assert.equal(await look('/api/session', { method: 'DELETE' }), 204)
  assert.ok(!seen.some((text) => text.includes('mt1_')))
})
