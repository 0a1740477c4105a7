import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation, type SessionDto } from '@muster/contract'
import { createBrowser } from '../../../../gateway/src/testing/browser.ts'
import { callOperation } from '../../testing/call-operation.ts'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
} from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createKeyHolders } from '../../testing/identity-world/access-key-holders.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

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
  const guess = (address: string, name: string) =>
    requestToken(platform.url, { identity: passwordIdentity(name, 'a guess') }, from(address))
  const failTimes = async (address: string, times: number) => {
    const statuses: number[] = []
    for (let index = 0; index < times; index += 1) statuses.push((await fail(address)).status)
    return statuses
  }

  test('REL-19: 429 with Retry-After after too many failures from an address', async () => {
    assert.deepEqual(await failTimes('192.0.2.1', 7), [401, 401, 401, 401, 401, 429, 429])
    assertError(await fail('192.0.2.1'), 'TooManyRequests', 'application/json')
  })

  test('429 for a correct password too', async () => {
    for (let index = 0; index < 5; index += 1) await guess('192.0.2.2', 'nobody')
    assertError(await succeed('192.0.2.2'), 'TooManyRequests', 'application/json')
  })

  test('failures of one method do not block another', async () => {
    await failTimes('192.0.2.12', 6)
    assert.equal((await succeed('192.0.2.12')).status, 201)
    assert.equal((await guess('192.0.2.12', 'nobody')).status, 401)
  })

  test('a user who logged in from there within a day still can, others cannot', async () => {
    const { status } = await succeed('192.0.2.13')
    assert.equal(status, 201)
    for (let index = 0; index < 6; index += 1) await guess('192.0.2.13', 'nobody')
    assert.equal((await succeed('192.0.2.13')).status, 201)
    assertError(await guess('192.0.2.13', 'somebody'), 'TooManyRequests', 'application/json')
    const today = now
    now += 86_400_001
    try {
      for (let index = 0; index < 6; index += 1) await guess('192.0.2.13', 'nobody')
      assertError(await succeed('192.0.2.13'), 'TooManyRequests', 'application/json')
    } finally {
      now = today
    }
  })

  test('a wrong password of such a user is rejected like any other', async () => {
    await succeed('192.0.2.14')
    for (let index = 0; index < 5; index += 1) await guess('192.0.2.14', 'nobody')
    const known = await guess('192.0.2.14', 'sysadmin')
    assert.deepEqual(comparableParts(known), comparableParts(await guess('192.0.2.14', 'nobody')))
    assertError(known, 'TooManyRequests', 'application/json')
    assert.equal((await succeed('192.0.2.14')).status, 201)
  })

  test('a valid token is neither blocked nor counted, whatever scope it requests', async () => {
    const id = secretOf(await succeed('192.0.2.15'))
    const rescope = (scope: unknown) =>
      requestToken(platform.url, { identity: tokenIdentity(id), scope }, from('192.0.2.15'))
    const nowhere = { project: { id: 'nowhere' } }
    for (let index = 0; index < 7; index += 1) {
      assertError(await rescope(nowhere), 'UnauthorizedError', 'application/json')
    }
    assert.deepEqual(await failTimes('192.0.2.15', 6), [401, 401, 401, 401, 401, 429])
    assert.equal((await rescope(systemProject)).status, 201)
    assertError(await rescope(nowhere), 'UnauthorizedError', 'application/json')
  })

  test('a valid access key is not blocked by invalid ones', async () => {
    const holders = createKeyHolders(platform, () => now)
    const key = await holders.makeOwnKey(await holders.addHolder())
    const logIn = (text: string) => holders.login(text, { headers: from('192.0.2.16') })
    const wrong = { ...key, secret: 'x'.repeat(key.secret.length) }
    for (let index = 0; index < 6; index += 1) await logIn(holders.present('cloudpods', wrong))
    const refused = await logIn(holders.present('cloudpods', wrong))
    assertError(refused, 'TooManyRequests', 'application/json')
    secretOf(await logIn(holders.present('cloudpods', key)))
  })

  test('beyond the limit nothing is recorded for unknown users', async () => {
    const count = async () => {
      const { rows } = await platform.database.db
        .selectFrom('events')
        .where('ip', '=', '192.0.2.17')
        .select(({ fn }) => fn.countAll().as('rows'))
        .executeTakeFirstOrThrow()
      return Number(rows)
    }
    await failTimes('192.0.2.17', 5)
    assert.equal(await count(), 5)
    await failTimes('192.0.2.17', 5)
    assert.equal(await count(), 5)
  })

  test('a browser with a session can switch its project', async () => {
    const headers = from('192.0.2.18')
    const browser = createBrowser(platform.url)
    const body = { name: 'sysadmin', password: adminPassword }
    await browser.ask('/api/session', { method: 'POST', body, headers })
    await failTimes('192.0.2.18', 6)
    for (let index = 0; index < 6; index += 1) await guess('192.0.2.18', 'nobody')
    const scope = { domain_id: 'nowhere' }
    const put = { method: 'PUT', headers }
    assertError(
      await browser.ask('/api/session/scope', { ...put, body: { scope } }),
      'ForbiddenError',
    )
    const { body: session } = await browser.ask<{ session: SessionDto }>('/api/session', {
      headers,
    })
    const own = { scope: { project_id: session.session.scope.id } }
    const switched = await browser.ask('/api/session/scope', { ...put, body: own })
    assert.equal(switched.status, 200)
    const again = await createBrowser(platform.url).ask('/api/session', {
      method: 'POST',
      body,
      headers,
    })
    assert.equal(again.status, 201)
  })

  test('other addresses are not affected', async () => {
    await failTimes('192.0.2.3', 6)
    assert.equal((await fail('192.0.2.4')).status, 401)
    assert.equal((await succeed('192.0.2.4')).status, 201)
  })

  test('an IPv6 /64 counts as one address', async () => {
    await failTimes('2001:db8:1:1::1', 5)
    assert.equal((await fail('2001:db8:1:1:ffff::2')).status, 429)
    assert.equal((await fail('2001:db8:1:2::1')).status, 401)
    await failTimes('::ffff:192.0.2.5', 5)
    assert.equal((await fail('192.0.2.5')).status, 429)
  })

  test('successful and malformed logins are not counted', async () => {
    const nonsense = [
      { identity: { methods: ['nonsense'] } },
      { identity: { methods: ['cas'], cas_ticket: { id: 'no ticket' } } },
      { identity: { methods: ['aksk'], access_key_secret: 'no key' } },
      { identity: { methods: ['token'] } },
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

  test('only logins are limited', async () => {
    const token = secretOf(await succeed('192.0.2.7'))
    await failTimes('192.0.2.7', 6)
    const headers = from('192.0.2.7')
    assert.equal((await ask(platform.url, '/v3/auth/projects', { token, headers })).status, 200)
    assert.equal((await ask(platform.url, '/healthz', { headers })).status, 200)
  })

  test('a login after the Retry-After time succeeds', async () => {
    for (let index = 0; index < 5; index += 1) await guess('192.0.2.8', 'nobody')
    const refused = await guess('192.0.2.8', 'nobody')
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

test('the default limit on failed logins is 100 a minute', async () => {
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

test('REL-19: each process counts alone', async (t) => {
  const options = {
    engine: 'postgres',
    clock: () => start,
    flags: ['--requests-per-minute=3'],
  } as const
  const first = await startPlatform(options)
  t.after(() => first.close())
  const second = await startPlatform({ ...options, beside: first })
  t.after(() => second.close())
  const token = await loginAdmin(first.url)
  for (const { url } of [first, second]) {
    const statuses: number[] = []
    for (let index = 0; index < 4; index += 1) {
      statuses.push((await ask(url, '/v3/auth/projects', { token })).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 429])
  }
})

describe('the request limit per token', () => {
  let now = start
  let platform: TestPlatform
  let url: string
  before(async () => {
    platform = await startPlatform({ clock: () => now, flags: ['--requests-per-minute=3'] })
    url = platform.url
  })
  after(() => platform.close())

  const ownProjects = (token: string) => ask(url, '/v3/auth/projects', { token })

  test('REL-19: 429 with Retry-After after too many requests with a token', async () => {
    const token = await loginAdmin(url)
    for (let index = 0; index < 3; index += 1) assert.equal((await ownProjects(token)).status, 200)
    assertError(await ownProjects(token), 'TooManyRequests')
    now += 2 * minute
    assert.equal((await ownProjects(token)).status, 200)
  })

  test('another token of the same user is not affected', async () => {
    const token = await loginAdmin(url)
    const other = await loginAdmin(url)
    for (let index = 0; index < 4; index += 1) await ownProjects(token)
    assert.equal((await ownProjects(token)).status, 429)
    assert.equal((await ownProjects(other)).status, 200)
  })

  test('applies to every operation that requires a token', async () => {
    for (const operation of operations.filter(({ access }) => access === 'token')) {
      const token = await loginAdmin(url)
      for (let index = 0; index < 3; index += 1) await ownProjects(token)
      const answer = await callOperation(url, operation as Operation, { token })
      assert.equal(answer.status, 429, operation.id)
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
  })

  test('requests without a valid token are 401 as usual', async () => {
    for (let index = 0; index < 5; index += 1) {
      assertError(await ownProjects('nonsense'), 'UnauthorizedError')
      assert.equal((await ask(url, '/healthz')).status, 200)
    }
  })
})
