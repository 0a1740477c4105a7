import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NoResponseError } from '../domain/identity/provider-driver.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'

/** A server whose behaviour, and a clock whose time, a test sets. */
function start() {
  const state = { sent: 0, now: 0, failure: undefined as Error | undefined }
  const get = withCircuitBreaker(
    async () => {
      state.sent += 1
      await Promise.resolve()
      if (state.failure) throw state.failure
      return { status: 200, contentType: '', text: '' }
    },
    () => state.now,
  )
  const ask = (host = 'a', ca = '', deadline = Infinity) =>
    get(new URL(`https://${host}.test/`), { ca, deadline })
  const failTimes = async (times: number) => {
    for (let time = 0; time < times; time += 1) await assert.rejects(ask())
  }
  return { state, ask, failTimes }
}

describe('REL-09: the circuit breaker', () => {
  test('REL-09: opens after 5 failures in a row, and probes every 10 seconds', async () => {
    const { state, ask, failTimes } = start()
    state.failure = new NoResponseError('silent')
    await failTimes(5)
    assert.equal(state.sent, 5)
    await assert.rejects(ask(), /not contacted/)
    state.now = 9_999
    await assert.rejects(ask(), /not contacted/)
    assert.equal(state.sent, 5)
    state.now = 10_000
    // One of many requests is the probe.
    await Promise.allSettled(Array.from({ length: 20 }, () => ask()))
    assert.equal(state.sent, 6)
    state.now = 20_000
    state.failure = undefined
    await ask()
    await Promise.all([ask(), ask()])
    assert.equal(state.sent, 9)
  })

  test('REL-09: stays closed after any response, even an invalid one', async () => {
    const { state, ask, failTimes } = start()
    for (const failure of [undefined, new Error('not UTF-8')]) {
      state.failure = new NoResponseError('silent')
      await failTimes(4)
      state.failure = failure
      await ask().catch(() => {})
    }
    state.failure = new Error('not UTF-8')
    await failTimes(20)
    assert.equal(state.sent, 30)
  })

  test('REL-09: is separate for each server and certificate authority', async () => {
    const { state, ask, failTimes } = start()
    state.failure = new NoResponseError('silent')
    await failTimes(6)
    assert.equal(state.sent, 5)
    state.failure = undefined
    await ask('b')
    await ask('a', 'another')
    assert.equal(state.sent, 7)
  })

  test('REL-09: does not count requests for which no time is left, and sends none', async () => {
    const { state, ask, failTimes } = start()
    state.failure = new NoResponseError('silent')
    await failTimes(4)
    state.now = 1_000
    for (const deadline of [1_000, 999, -1]) {
      await assert.rejects(ask('a', '', deadline), /^Error: a\.test: no time left$/)
    }
    assert.equal(state.sent, 4)
    await failTimes(2)
    assert.equal(state.sent, 5)
    // Nor is one of them the probe.
    state.now = 20_000
    await assert.rejects(ask('a', '', 10_000), /no time left/)
    state.failure = undefined
    await ask()
  })
})
