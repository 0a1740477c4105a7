import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test, type TestContext } from 'node:test'
import { ask, loginAdmin, passwordIdentity, requestToken } from './testing/client.ts'
import { openSocket, sendRaw } from './testing/raw-socket.ts'
import { startPlatform } from './testing/start-platform.ts'
import { defaultPasswordCost } from './vault/password-hasher.ts'

/** A platform whose log is kept, piece by piece as it was written. */
async function startLogging(t: TestContext, level: string, flags: readonly string[] = []) {
  const written: string[] = []
  const platform = await startPlatform({
    passwordCost: defaultPasswordCost,
    flags,
    log: { level, destination: { write: (text: string) => written.push(text) } },
  })
  t.after(() => platform.close())
  return {
    url: platform.url,
    written,
    size: () => Buffer.byteLength(written.join('')),
  }
}

/** Sends the same request so many times down one connection, and waits for all answers. */
async function repeatRequest(url: string, request: string, times: number): Promise<void> {
  const socket = openSocket(url)
  let answers = 0
  socket.setEncoding('latin1').on('data', (text: string) => {
    answers += text.split('HTTP/1.1 ').length - 1
    if (answers >= times) socket.destroy()
  })
  socket.write(request.repeat(times), 'latin1')
  await once(socket, 'close')
  assert.ok(answers >= times, `${answers} answers to ${times} requests`)
}

const mebibyte = 1_024 * 1_024

describe('the log', () => {
  test('SEC-68: takes less than 5 MB for 10,000 bad requests of any size', async (t) => {
    const { url, written, size } = await startLogging(t, 'info')
    const ten = Array.from({ length: 10 })
    const requestOf = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${'a'.repeat(128)}\r\nUser-Agent: ${'"'.repeat(1_000)}\r\n\r\n`
    // Quotes and backslashes are two characters each once they are JSON.
    await Promise.all(ten.map(() => repeatRequest(url, requestOf(`/${'"'.repeat(1_000)}`), 1_000)))
    assert.ok(written.length > 0)
    assert.ok(size() < 5 * mebibyte, `${(size() / mebibyte).toFixed(1)} MB`)
  })

  test('SEC-68: takes no more for requests rejected by the rate limit', async (t) => {
    const { url, written } = await startLogging(t, 'info', ['--login-failures-per-minute=0'])
    const identity = passwordIdentity('nobody', 'a wrong sentence')
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => requestToken(url, { identity })),
    )
    const refused = new Set(
      answers.filter(({ status }) => status === 503).map(({ body }) => body.request_id),
    )
    assert.ok(refused.size > 0, 'none was turned away')
    const lines = written.filter((line) =>
      refused.has((JSON.parse(line) as { request_id: string }).request_id),
    )
    const each = Buffer.byteLength(lines.join('')) / refused.size
    assert.ok(each < (5 * mebibyte) / 10_000, `${each.toFixed(0)} bytes each`)
  })

  test('SEC-69: is one line of JSON per entry, whatever callers send', async (t) => {
    const { url, written } = await startLogging(t, 'trace')
    const nasty =
      '\r\n{"level":"info","msg":"forged"}\r\n\u001b[31mred\u001b[0m\u009b31m\u2028\u0007'
    const encoded = encodeURIComponent(nasty)
    const token = await loginAdmin(url)
    const identities = [
      passwordIdentity(nasty, nasty),
      { methods: ['password'], password: { user: { id: nasty, password: nasty } } },
      {
        methods: ['password'],
        password: { user: { name: 'x', domain: { id: nasty }, password: nasty } },
      },
      { methods: [nasty] },
      { methods: ['password'], [nasty]: nasty },
    ]
    for (const identity of identities) {
      const scope = { project: { id: nasty } }
      await requestToken(url, { identity, scope, context: { source: nasty } })
    }
    for (const path of [`/${encoded}`, `/v3/auth/tokens/${encoded}?${encoded}=${encoded}`]) {
      await ask(url, path, { token: encoded, headers: { 'x-request-id': encoded } })
    }
    const raw = '\u001b[31mred\u009b31m\u0085\u0007\u007f'
    for (const request of [
      `GET /${raw} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${raw}\r\nX-Forwarded-For: ${raw}\r\nConnection: close\r\n\r\n`,
      `GET /nowhere HTTP/1.1\r\nHost: ${raw}\r\nUser-Agent: ${raw}\r\nX-Auth-Token: ${raw}\r\nConnection: close\r\n\r\n`,
      `GET /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\nX-Subject-Token: ${raw}\r\nConnection: close\r\n\r\n`,
    ]) {
      await sendRaw(url, request)
    }

    const entries = written.map((text) => {
      assert.match(text, /^[^\n]*\n$/)
      // No control character, not even the second set that terminals obey too.
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(text.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      return JSON.parse(text) as { msg: string; status?: number }
    })
    assert.ok(entries.some(({ status }) => status === 401))
    assert.ok(entries.some(({ status }) => status === 404))
    assert.ok(!entries.some(({ msg }) => msg === 'forged'))
  })

  test('warns once about X-Forwarded-For if no proxy is trusted', async (t) => {
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const warnings = (written: readonly string[]) =>
      written.filter((line) => line.includes('--trusted-proxies')).length
    const { url, written } = await startLogging(t, 'warn')
    await ask(url, '/healthz')
    assert.equal(warnings(written), 0)
    for (let time = 0; time < 3; time += 1) await ask(url, '/healthz', { headers })
    assert.equal(warnings(written), 1)
    const trusting = await startLogging(t, 'warn', ['--trusted-proxies=127.0.0.1'])
    await ask(trusting.url, '/healthz', { headers })
    assert.equal(warnings(trusting.written), 0)
  })
})
