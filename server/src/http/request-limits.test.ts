import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { callOperation } from '../testing/call-operation.ts'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
} from '../testing/client.ts'
import { assertError } from '../testing/error-answer.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../testing/start-platform.ts'

const minute = 60_000
const start = Math.ceil(Date.now() / minute) * minute

describe('the limit on failed logins', () => {
  let now = start
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({
      clock: () => now,
      flags: ['--login-failures-per-minute=5', '--trusted-proxies=127.0.0.1'],
    })
  })
  after(() => platform.close())

  const from = (address: string) => ({ 'x-forwarded-for': address })
  const fail = (address: string) =>
    requestToken(platform.url, { identity: tokenIdentity('none') }, from(address))
  const succeed = (address: string) =>
    requestToken(
      platform.url,
      { identity: passwordIdentity('sysadmin', adminPassword) },
      from(address),
    )
  const failTimes = async (address: string, times: number) => {
    const statuses: number[] = []
    for (let index = 0; index < times; index += 1) statuses.push((await fail(address)).status)
    return statuses
  }

  test('429 with Retry-After once an address has failed so often', async () => {
    assert.deepEqual(await failTimes('192.0.2.1', 7), [401, 401, 401, 401, 401, 429, 429])
    assertError(await fail('192.0.2.1'), 'TooManyRequests', 'application/json')
  })

  test('429 for a right password too: the limit is asked first', async () => {
    await failTimes('192.0.2.2', 5)
    assertError(await succeed('192.0.2.2'), 'TooManyRequests', 'application/json')
  })

  test('no other address is touched', async () => {
    await failTimes('192.0.2.3', 6)
    assert.equal((await fail('192.0.2.4')).status, 401)
    assert.equal((await succeed('192.0.2.4')).status, 201)
  })

  test('a /64 of IPv6 is one address', async () => {
    await failTimes('2001:db8:1:1::1', 5)
    assert.equal((await fail('2001:db8:1:1:ffff::2')).status, 429)
    assert.equal((await fail('2001:db8:1:2::1')).status, 401)
    await failTimes('::ffff:192.0.2.5', 5)
    assert.equal((await fail('192.0.2.5')).status, 429)
  })

  test('what succeeds or makes no sense is not counted', async () => {
    const nonsense = [
      { identity: { methods: ['nonsense'] } },
      { identity: { methods: ['cas'], cas_ticket: { id: 'no ticket' } } },
      { identity: { methods: ['aksk'], access_key_secret: 'no key' } },
      { identity: { methods: ['token'] } },
      { identity: tokenIdentity('none'), scope: { project: { name: 'no domain' } } },
    ]
    for (const auth of [...nonsense, ...nonsense]) {
      const { status } = await requestToken(platform.url, auth, from('192.0.2.6'))
      assert.equal(status, 400)
    }
    for (let index = 0; index < 6; index += 1) {
      assert.equal((await succeed('192.0.2.6')).status, 201)
    }
    assert.deepEqual(await failTimes('192.0.2.6', 6), [401, 401, 401, 401, 401, 429])
  })

  test('only logins are refused', async () => {
    const token = secretOf(await succeed('192.0.2.7'))
    await failTimes('192.0.2.7', 6)
    const headers = from('192.0.2.7')
    assert.equal((await ask(platform.url, '/v3/auth/projects', { token, headers })).status, 200)
    assert.equal((await ask(platform.url, '/healthz', { headers })).status, 200)
  })

  test('whoever waits as long as they were told is let in', async () => {
    await failTimes('192.0.2.8', 5)
    const refused = await fail('192.0.2.8')
    assert.equal(refused.status, 429)
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 120, String(wait))
    const today = now
    now += wait * 1_000
    try {
      assert.equal((await succeed('192.0.2.8')).status, 201)
    } finally {
      now = today
    }
  })
})

test('the limit on failed logins is 100 a minute unless set', async () => {
  const platform = await startPlatform({ clock: () => start })
  try {
    const statuses: number[] = []
    for (let index = 0; index < 102; index += 1) {
      const { status } = await requestToken(platform.url, { identity: tokenIdentity('none') })
      statuses.push(status)
    }
    assert.deepEqual(statuses.slice(98), [401, 401, 429, 429])
  } finally {
    await platform.close()
  }
})

describe('the limit on requests with one token', () => {
  let now = start
  let platform: TestPlatform
  let url: string
  before(async () => {
    platform = await startPlatform({ clock: () => now, flags: ['--requests-per-minute=3'] })
    url = platform.url
  })
  after(() => platform.close())

  const ownProjects = (token: string) => ask(url, '/v3/auth/projects', { token })

  test('429 with Retry-After once a token has asked so often', async () => {
    const token = await loginAdmin(url)
    for (let index = 0; index < 3; index += 1) assert.equal((await ownProjects(token)).status, 200)
    assertError(await ownProjects(token), 'TooManyRequests')
    now += 2 * minute
    assert.equal((await ownProjects(token)).status, 200)
  })

  test('another token of the same user is not touched', async () => {
    const token = await loginAdmin(url)
    const other = await loginAdmin(url)
    for (let index = 0; index < 4; index += 1) await ownProjects(token)
    assert.equal((await ownProjects(token)).status, 429)
    assert.equal((await ownProjects(other)).status, 200)
  })

  test('holds on every operation that takes a token', async () => {
    for (const operation of operations.filter(({ access }) => access === 'token')) {
      const token = await loginAdmin(url)
      for (let index = 0; index < 3; index += 1) await ownProjects(token)
      const answer = await callOperation(url, operation as Operation, { token })
      assert.equal(answer.status, 429, operation.id)
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
  })

  test('whoever has no good token is refused as ever', async () => {
    for (let index = 0; index < 5; index += 1) {
      assertError(await ownProjects('nonsense'), 'UnauthorizedError')
      assert.equal((await ask(url, '/healthz')).status, 200)
    }
  })
})
