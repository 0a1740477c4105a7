import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  createKeyHolders,
  signedForms,
  type HeldKey,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const second = 1_000
const minute = 60_000
const start = Date.UTC(2027, 0, 31, 12)
/** Late in the evening: five minutes later is another day. */
const beforeMidnight = Date.UTC(2027, 0, 31, 23, 58)
const crowd = 20
const allOf = <Value>(value: Value) => Array.from({ length: crowd }, () => value)

/** Asserts that all others got the response of a failed login. */
function oneGotIn(answers: readonly { readonly status: number }[]): void {
  const statuses = answers.map(({ status }) => String(status)).sort()
  assert.deepEqual(statuses, ['201', ...allOf('401').slice(1)])
}

onEngineOfLane('an access key signature', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform | undefined
  let holders: KeyHolders
  let key: HeldKey
  let now = start
  before(async () => {
    const clock = () => now
    const flags = [
      // Both processes have the same host name: a signature in the Muster form is for one host.
      '--public-url=http://muster.test:8400',
      '--trusted-proxies=127.0.0.1',
      '--allowed-hosts=other.test',
      '--login-failures-per-minute=0',
    ]
    platform = await startPlatform({ engine, clock, flags })
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') {
      beside = await startPlatform({ engine, clock, flags, beside: platform })
    }
    holders = createKeyHolders(platform, clock)
    key = await holders.makeOwnKey(await holders.addHolder())
  })
  after(async () => {
    await beside?.close()
    await platform.close()
  })

  /** The address that the trusted proxy reports. */
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const here = from('192.0.2.1')
  const statusOf = async (text: string, options = here) =>
    (await holders.login(text, options)).status
  /** Two processes on PostgreSQL; on SQLite the same one twice. */
  const nodes = () => [platform.url, (beside ?? platform).url]
  const nodeFor = (index: number) => nodes()[index % 2] ?? ''

  describe('SEC-30: is valid for five minutes', () => {
    for (const form of signedForms) {
      const sign = (signedAt: number, changes = {}) =>
        holders.present(form, key, { now: signedAt, ...changes })

      test(`SEC-30: is limited in the past and in the future, in the form "${form}"`, async () => {
        now += 60 * minute
        for (const drift of [-5 * minute, -minute, 0, minute, 5 * minute]) {
          assert.equal(await statusOf(sign(now + drift)), 201, String(drift))
        }
        const hour = 60 * minute
        for (const drift of [-hour, -5 * minute - second, 5 * minute + second, 24 * hour]) {
          assert.equal(await statusOf(sign(now + drift)), 401, String(drift))
        }
        // It expires after five minutes.
        const signed = sign(now)
        now += 5 * minute + second
        assert.equal(await statusOf(signed), 401)
      })

      test(`SEC-30: is valid only on the day it was signed, in the form "${form}"`, async () => {
        now = beforeMidnight
        const signed = sign(now)
        const wrongDays = ['20270130', '20270201', '20280131']
        for (const day of wrongDays) assert.equal(await statusOf(sign(now, { day })), 401, day)
        now += 4 * minute
        assert.equal(await statusOf(signed), 201, 'signed yesterday, four minutes ago')
        assert.equal(await statusOf(sign(now, { day: '20270131' })), 401)
        now = start
      })
    }
  })

  describe('SEC-31: in the Cloudpods form can be used once', () => {
    test('SEC-31: repeats from the same address within two seconds count as one use', async () => {
      now += minute
      const signed = holders.present('cloudpods', key)
      assert.equal(await statusOf(signed), 201)
      assert.equal(await statusOf(signed), 201)
      now += 2 * second - 1
      assert.equal(await statusOf(signed), 201)
      now += 1
      assert.equal(await statusOf(signed), 401)
      // It stays rejected for its whole validity.
      now += 4 * minute
      assert.equal(await statusOf(signed), 401)
    })

    test('SEC-31: a repeat does not extend the two seconds', async () => {
      now += minute
      const signed = holders.present('cloudpods', key)
      const statuses: number[] = []
      for (let step = 0; step < 4; step += 1) {
        statuses.push(await statusOf(signed))
        now += 900
      }
      assert.deepEqual(statuses, [201, 201, 201, 401])
    })

    test('SEC-31: is rejected at once from any other address', async () => {
      now += minute
      const signed = holders.present('cloudpods', key)
      assert.equal(await statusOf(signed), 201)
      for (const address of ['192.0.2.2', '192.0.2.10', '::ffff:192.0.2.2', '2001:db8::1']) {
        assert.equal(await statusOf(signed, from(address)), 401, address)
      }
      // The same address in another notation is the same address.
      assert.equal(await statusOf(signed, from('::ffff:192.0.2.1')), 201)
      assert.equal((await holders.login(signed, { ...here, url: nodeFor(1) })).status, 201)
    })

    test('SEC-31: of concurrent uses from several addresses one succeeds', async () => {
      now += minute
      const signed = holders.present('cloudpods', key)
      const answers = await Promise.all(
        allOf(signed).map((text, index) =>
          holders.login(text, { ...from(`198.51.100.${index}`), url: nodeFor(index) }),
        ),
      )
      oneGotIn(answers)
    })
  })

  describe('SEC-31: in the Muster form can be used once', () => {
    test('SEC-31: an immediate repeat from the same address is rejected', async () => {
      now += minute
      const signed = holders.present('own', key)
      const statuses: number[] = []
      for (let time = 0; time < 3; time += 1) statuses.push(await statusOf(signed))
      assert.deepEqual(statuses, [201, 401, 401])
      assert.equal((await holders.login(signed, { ...here, url: nodeFor(1) })).status, 401)
      // Another nonce in the same second is another use.
      assert.equal(await statusOf(holders.present('own', key)), 201)
    })

    test('SEC-31: of concurrent uses in several processes one succeeds', async () => {
      for (let round = 0; round < 3; round += 1) {
        now += minute
        const signed = holders.present('own', key)
        const answers = await Promise.all(
          allOf(signed).map((text, index) => holders.login(text, { ...here, url: nodeFor(index) })),
        )
        oneGotIn(answers)
      }
    })

    test('SEC-31: stays used while expired entries are purged', async () => {
      now = Math.ceil((now + minute) / second) * second
      // Signed by a clock that is ahead: valid for ten minutes.
      const ahead = { now: now + 5 * minute }
      const [used, unused] = [
        holders.present('own', key, ahead),
        holders.present('own', key, ahead),
      ]
      assert.equal(await statusOf(used), 201)
      now += 10 * minute
      await createTokenStore(platform.database).purgeExpired(now)
      assert.equal(await statusOf(used), 401)
      assert.equal(await statusOf(unused), 201)
    })
  })

  test('concurrent signatures of one key all work, even on its first use', async () => {
    for (let round = 0; round < 3; round += 1) {
      now += minute
      const fresh = await holders.makeOwnKey(await holders.addHolder())
      const answers = await Promise.all(
        allOf(fresh).map((one, index) =>
          holders.login(holders.present('own', one), {
            ...from(`198.51.100.${index}`),
            url: nodeFor(index),
          }),
        ),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        allOf(201),
      )
    }
  })

  describe('SEC-32: is valid for this login only', () => {
    test('SEC-32: is rejected for another service or region, in both forms', async () => {
      now += minute
      for (const form of signedForms) {
        const sign = (changes = {}) => holders.present(form, key, changes)
        assert.equal(await statusOf(sign({ service: 'sts' })), 401)
        assert.equal(await statusOf(sign({ service: 'identity' })), 401)
        const text = sign()
        const members = JSON.parse(text) as Record<string, string>
        const request = members['request'] ?? ''
        const altered = [
          { location: 'elsewhere' },
          { algorithm: 'AWS4-HMAC-SHA1' },
          { algorithm: 'AWS4-ECDSA-P256-SHA256' },
          { request: request.replace(/.{64}$/, 'f'.repeat(64)) },
          { request: request.replace('/s3/', '/sts/') },
          { signature: '0'.repeat(64) },
          { signature: (members['signature'] ?? '').toUpperCase() },
          { sign_date: new Date(now + second).toISOString() },
        ]
        for (const changes of altered) {
          const tampered = JSON.stringify({ ...members, ...changes })
          assert.equal(await statusOf(tampered), 401, JSON.stringify(changes))
        }
        // The rejected attempts have not used up the signature.
        assert.equal(await statusOf(text), 201)
      }
    })

    test('SEC-32: is rejected for another host, path, method or body, in the Muster form', async () => {
      now += minute
      const others = [
        { host: 'other.test:8400' },
        { host: 'muster.test' },
        { host: 'muster.test:8401' },
        { host: '127.0.0.1' },
        { path: '/v3/auth/tokens/' },
        { path: '/v3/users' },
        { method: 'GET' },
        { method: 'DELETE' },
        { headers: { 'x-amz-content-sha256': 'f'.repeat(64) } },
        { headers: { 'x-amz-date': '20270131T000000Z' } },
      ]
      for (const changes of others) {
        const signed = holders.present('own', key, changes)
        assert.equal(await statusOf(signed), 401, JSON.stringify(changes))
      }
      // Forwarded headers do not change the host either.
      const signed = holders.present('own', key, { host: 'other.test:8400' })
      const headers = { ...here.headers, 'x-forwarded-host': 'other.test:8400' }
      assert.equal(await statusOf(signed, { headers }), 401)
      assert.equal(await statusOf(holders.present('own', key)), 201)
    })
  })
})
