import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ask,
  loginAdmin,
  requestToken,
  systemProject,
  tokenIdentity,
} from '../../testing/client.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** The client address in the token and in its row. */
async function addressesOf(platform: TestPlatform, headers: Record<string, string>, ip?: string) {
  const parent = await loginAdmin(platform.url)
  const { body } = await requestToken(
    platform.url,
    {
      identity: tokenIdentity(parent),
      scope: systemProject,
      ...(ip !== undefined && { context: { ip } }),
    },
    headers,
  )
  const row = await platform.database.db
    .selectFrom('tokens')
    .select('ip')
    .where('method', '=', 'token')
    .orderBy('issued_at', 'desc')
    .executeTakeFirstOrThrow()
  await platform.database.commit([
    platform.database.db.deleteFrom('tokens').where('method', '=', 'token').compile(),
  ])
  return { inToken: body.token.context.ip, inRow: row.ip }
}

const claims: Record<string, string>[] = [
  { 'x-forwarded-for': '198.51.100.7' },
  { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' },
  { 'x-forwarded-for': '::1' },
  { forwarded: 'for=198.51.100.7' },
  { 'x-real-ip': '198.51.100.7' },
  { 'x-client-ip': '198.51.100.7' },
  { 'true-client-ip': '198.51.100.7' },
  { 'cf-connecting-ip': '198.51.100.7' },
  { 'x-cluster-client-ip': '198.51.100.7' },
  { 'x-original-forwarded-for': '198.51.100.7' },
]

describe('SEC-15 without a trusted proxy', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ flags: ['--login-failures-per-minute=3'] })
  })
  after(() => platform.close())

  const failLogin = (headers: Record<string, string>, ip?: string) =>
    requestToken(
      platform.url,
      { identity: tokenIdentity('none'), ...(ip !== undefined && { context: { ip } }) },
      headers,
    )

  test('SEC-15 the address is that of the connection, whatever the headers claim', async () => {
    for (const headers of claims) {
      const { inToken, inRow } = await addressesOf(platform, headers)
      assert.deepEqual([inToken, inRow], ['127.0.0.1', '127.0.0.1'], JSON.stringify(headers))
    }
  })

  test('SEC-15 the address is that of the connection, whatever the body claims', async () => {
    for (const ip of ['198.51.100.7', '::1', '', 'nonsense', '127.0.0.2']) {
      const { inToken, inRow } = await addressesOf(platform, {}, ip)
      assert.deepEqual([inToken, inRow], ['127.0.0.1', '127.0.0.1'])
    }
  })

  test('SEC-15 the stored login address is that of the connection', async () => {
    const rows = await platform.database.db.selectFrom('login_origins').select('address').execute()
    assert.deepEqual(
      rows.map(({ address }) => address),
      ['127.0.0.1'],
    )
  })

  test('SEC-15 forged headers do not evade the limit per address', async () => {
    const statuses: number[] = []
    for (const [index, headers] of claims.entries()) {
      const { status } = await failLogin(headers, `198.51.100.${index}`)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, ...claims.slice(3).map(() => 429)])
  })
})

describe('SEC-15 behind a trusted proxy', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ flags: ['--trusted-proxies=127.0.0.1,203.0.113.0/24'] })
  })
  after(() => platform.close())

  const addressBehind = async (forwardedFor: string) => {
    const { inToken, inRow } = await addressesOf(platform, { 'x-forwarded-for': forwardedFor })
    assert.equal(inToken, inRow)
    return inToken
  }

  test('SEC-15 the address is the forwarded one', async () => {
    assert.equal(await addressBehind('198.51.100.7'), '198.51.100.7')
    assert.equal(await addressBehind('2001:DB8::0:7'), '2001:db8::7')
    assert.equal(await addressBehind('::ffff:198.51.100.7'), '198.51.100.7')
  })

  test('SEC-15 the address is the last one that is not a trusted proxy', async () => {
    assert.equal(await addressBehind('192.0.2.66, 198.51.100.7'), '198.51.100.7')
    assert.equal(await addressBehind('198.51.100.7, 203.0.113.9'), '198.51.100.7')
    assert.equal(await addressBehind('192.0.2.66, 198.51.100.7, 203.0.113.9'), '198.51.100.7')
    assert.equal(await addressBehind('nonsense, 198.51.100.7'), '198.51.100.7')
  })

  test('SEC-15 the address is the proxy if it forwards nothing or an invalid value', async () => {
    const nonsense = ['', ' ', 'unknown', 'nonsense', '1.2.3', '1.2.3.4.5', '256.1.1.1', '<b>', ',']
    for (const text of [...nonsense, '0x7f.1', '2130706433', '0177.0.0.1']) {
      assert.equal(await addressBehind(text), '127.0.0.1', text)
    }
  })

  test('SEC-15 anything but the address is dropped', async () => {
    const address = await addressBehind(`fe80::1%${'x'.repeat(500)}`)
    assert.ok(address.length <= 45, `${address.length} characters`)
  })

  test('SEC-15 only X-Forwarded-For is used', async () => {
    for (const headers of claims.slice(3)) {
      const { inToken } = await addressesOf(platform, headers)
      assert.equal(inToken, '127.0.0.1', JSON.stringify(headers))
    }
  })

  test('SEC-15 two headers are joined to one list', async () => {
    const head = ['GET /metrics HTTP/1.1', 'Host: localhost']
    const forwarded = ['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-For: 127.0.0.1']
    assert.equal((await askRaw(platform.url, [...head, ...forwarded])).status, 401)
  })

  test('SEC-15 a forwarded loopback address is not local', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    assert.equal((await ask(platform.url, '/metrics', { headers })).status, 401)
  })
})
