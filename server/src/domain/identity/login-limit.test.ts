import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../error.ts'
import { addressBlock, createLoginLimit } from './login-limit.ts'

describe('addressBlock', () => {
  test('an IPv4 address is a block', () => {
    assert.notEqual(addressBlock('192.0.2.1'), addressBlock('192.0.2.2'))
  })

  test('an IPv6 /64 is one block, its neighbour another', () => {
    assert.equal(addressBlock('2001:db8::1'), addressBlock('2001:db8::ffff:1'))
    assert.notEqual(addressBlock('2001:db8::1'), addressBlock('2001:db8:0:1::1'))
  })

  test('no address is a block too', () => {
    assert.equal(addressBlock(''), '')
  })
})

describe('createLoginLimit', () => {
  const ip = '192.0.2.1'
  const start = Date.UTC(2026, 0, 1)

  function open(perMinute: number, addresses: Readonly<Record<string, readonly string[]>> = {}) {
    const clock = { now: start }
    const limit = createLoginLimit({
      perMinute,
      providerMethods: ['cas'],
      guard: { listAddresses: async (userKey) => addresses[userKey] ?? [] },
      clock: () => clock.now,
    })
    const failTimes = (method: string, times: number, account = '') => {
      for (let time = 0; time < times; time += 1) limit.countFailure(method, ip, account)
    }
    return { clock, limit, failTimes }
  }

  const isRefused = (error: unknown) =>
    error instanceof PlatformError && error.class === 'TooManyRequests'

  test('a recent user has ten failures a minute of their own, and nobody else has', async () => {
    const { limit, failTimes, clock } = open(20, { alice: ['2001:db8::1', ip], bob: ['192.0.2.2'] })
    failTimes('password', 20)
    await assert.rejects(limit.requirePassword('bob', ip), isRefused)
    for (let time = 0; time < 10; time += 1) {
      await limit.requirePassword('alice', ip)
      assert.ok(limit.countFailure('password', ip, 'alice'))
    }
    await assert.rejects(limit.requirePassword('alice', ip), isRefused)
    clock.now += 120_000
    await limit.requirePassword('bob', ip)
  })

  test('of IPv6 the same /64 is the same address', async () => {
    const { limit } = open(1, { alice: ['2001:db8::1'] })
    limit.countFailure('password', '2001:db8::2', '')
    await limit.requirePassword('alice', '2001:db8::3')
    await assert.rejects(limit.requirePassword('bob', '2001:db8::3'), isRefused)
  })

  test('where somebody logged in by CAS within a day, ten times as many tickets may fail', () => {
    const { limit, failTimes, clock } = open(5)
    failTimes('cas', 5)
    assert.throws(() => limit.requireProviderLogin('cas', ip), isRefused)
    limit.noteProviderLogin('cas', ip)
    failTimes('cas', 44)
    limit.requireProviderLogin('cas', ip)
    failTimes('cas', 1)
    assert.throws(() => limit.requireProviderLogin('cas', ip), isRefused)
    clock.now += 86_400_000
    limit.requireProviderLogin('cas', ip)
    failTimes('cas', 5)
    assert.throws(() => limit.requireProviderLogin('cas', ip), isRefused)
  })

  test('0 is no limit', async () => {
    const { limit, failTimes } = open(0)
    failTimes('password', 1_000)
    failTimes('cas', 1_000)
    await limit.requirePassword('alice', ip)
    limit.requireProviderLogin('cas', ip)
  })
})
