import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createConnectionMonitor } from './connection-monitor.ts'

const start = Date.parse('2026-05-04T12:03:00Z')

/** A monitor with a fake clock, which `pass` advances, and an API whose behaviour `answer` sets. */
function watch(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: start })
  const calls: string[] = []
  const api: { answer: (signal: AbortSignal) => Promise<void>; isHidden: boolean } = {
    answer: async () => {},
    isHidden: false,
  }
  const monitor = createConnectionMonitor({
    async probe(signal) {
      calls.push('probe')
      await api.answer(signal)
    },
    onReconnect: () => calls.push('reconnect'),
    onRetry: () => calls.push('retry'),
    onHang: () => calls.push('hang'),
    isHidden: () => api.isHidden,
  })
  const seen: boolean[] = []
  const stop = monitor.subscribe(() => seen.push(monitor.state().isConnected))
  t.after(stop)
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      t.mock.timers.tick(100)
      // Lets the promises of a probe settle.
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    }
  }
  return { api, monitor, calls, seen, pass, stop }
}

const never = () => new Promise<void>(() => {})
const after = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms))
const fail = () => Promise.reject(new Error('502'))

describe('the connection monitor', () => {
  it('stays connected while probes succeed', async (t) => {
    const { monitor, seen, calls, pass } = watch(t)
    await pass(10_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
    assert.deepEqual(seen, [])
    assert.ok(calls.length >= 4 && calls.length <= 5, String(calls.length))
  })

  // Just after a response, and just before the next probe.
  for (const at of [10_000, 10_500, 11_000, 11_500, 12_000]) {
    for (const [name, answer] of Object.entries({ dead: fail, silent: never })) {
      it(`reports within five seconds that the API is ${name} after ${at} ms`, async (t) => {
        const { api, monitor, pass } = watch(t)
        await pass(at)
        api.answer = answer
        await pass(5_000)
        const state = monitor.state()
        assert.ok(
          !state.isConnected && state.since >= start + at && state.since <= start + at + 2_100,
        )
      })
    }
  }

  it('does not treat a slow API as disconnected', async (t) => {
    const { api, monitor, seen, pass } = watch(t)
    api.answer = after(2_500)
    await pass(30_000)
    // Probes wait behind other requests, whose responses keep arriving.
    api.answer = never
    for (let turn = 0; turn < 10; turn += 1) {
      await pass(2_600)
      monitor.noteAnswer(Date.now() - 2_600)
    }
    assert.deepEqual(seen, [])
  })

  for (const ms of [4_000, 6_000, 9_000]) {
    it(`is disconnected at most once while each response takes ${ms} ms`, async (t) => {
      const { api, calls, seen, pass } = watch(t)
      await pass(10_000)
      api.answer = after(ms)
      await pass(120_000)
      assert.deepEqual(seen, [false, true])
      assert.ok(!calls.includes('reconnect'), 'no response was lost')
    })
  }

  it('detects a dead API within five seconds again after a slow one became fast', async (t) => {
    const { api, monitor, pass } = watch(t)
    api.answer = after(6_000)
    await pass(60_000)
    api.answer = async () => {}
    await pass(20_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
    api.answer = never
    await pass(5_000)
    assert.equal(monitor.state().isConnected, false)
  })

  it('refreshes the page after each outage, but not more often than every ten seconds', async (t) => {
    const { api, calls, pass } = watch(t)
    const refreshes = () => calls.filter((call) => call === 'reconnect').length
    for (let turn = 0; turn < 6; turn += 1) {
      api.answer = fail
      await pass(2_500)
      api.answer = async () => {}
      await pass(2_500)
    }
    assert.ok(refreshes() >= 2 && refreshes() <= 3, String(refreshes()))
    const before = refreshes()
    await pass(30_000)
    assert.ok(refreshes() <= before + 1)
  })

  it('reconnects automatically and reports it once', async (t) => {
    const { api, monitor, calls, seen, pass } = watch(t)
    api.answer = fail
    await pass(4_000)
    api.answer = async () => {}
    await pass(4_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
    assert.deepEqual(seen, [false, true])
    assert.equal(calls.filter((call) => call === 'reconnect').length, 1)
  })

  it('sends another probe while one hangs, and aborts blocking requests', async (t) => {
    const { api, calls, seen, pass } = watch(t)
    api.answer = never
    await pass(20_000)
    assert.ok(calls.includes('hang'))
    api.answer = async () => {}
    await pass(4_000)
    assert.deepEqual(seen, [false, true])
  })

  it('retries failed requests and stays disconnected until they succeed', async (t) => {
    const { monitor, calls, seen, pass } = watch(t)
    monitor.setProblem('servers', 'outage')
    await pass(12_000)
    assert.equal(monitor.state().isConnected, false)
    assert.ok(calls.filter((call) => call === 'retry').length >= 2)
    monitor.setProblem('servers', undefined)
    assert.deepEqual(seen, [false, true])
  })

  it('reports data that does not arrive although probes succeed', async (t) => {
    const { monitor, seen, pass } = watch(t)
    await pass(10_000)
    const sentAt = Date.now()
    const end = monitor.noteRead()
    await pass(4_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
    await pass(1_000)
    assert.deepEqual(monitor.state(), { isConnected: true, waitingSince: sentAt })
    await pass(10_000)
    end()
    assert.deepEqual(monitor.state(), { isConnected: true })
    assert.equal(seen.length, 2)
  })

  it('waits longer for data of an API that responds slowly', async (t) => {
    const { api, monitor, seen, pass } = watch(t)
    api.answer = after(6_000)
    await pass(20_000)
    const before = seen.length
    const end = monitor.noteRead()
    await pass(6_000)
    end()
    assert.equal(seen.length, before)
  })

  it('reports data that a rate limit rejects, and retries', async (t) => {
    const { monitor, calls, pass } = watch(t)
    monitor.setProblem('servers', 'limited')
    assert.deepEqual(monitor.state(), { isConnected: true, waitingSince: start })
    await pass(12_000)
    assert.ok(calls.includes('retry'))
    monitor.setProblem('servers', undefined)
    assert.deepEqual(monitor.state(), { isConnected: true })
  })

  it('stays connected while one request fails in Muster itself, and retries it', async (t) => {
    const { monitor, calls, pass } = watch(t)
    monitor.setProblem('checks', 'failing')
    await pass(8_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
    assert(calls.includes('retry'))
    assert(monitor.hasProblem('checks'))
    monitor.setProblem('checks', undefined)
    assert(!monitor.hasProblem('checks'))
  })

  it('probes immediately when the user retries or another request fails', async (t) => {
    const { monitor, calls } = watch(t)
    monitor.noteFailure()
    monitor.retry()
    assert.deepEqual(calls, ['probe', 'probe'])
  })

  it('keeps its state where one listener replaces the last one, and forgets it without any', async (t) => {
    const { api, monitor, pass, stop } = watch(t)
    api.answer = fail
    await pass(4_000)
    stop()
    const stopNext = monitor.subscribe(() => {})
    await pass(200)
    assert.equal(monitor.state().isConnected, false)
    stopNext()
    await pass(200)
    assert.equal(monitor.state().isConnected, true)
  })

  it('does not probe in a background tab', async (t) => {
    const { api, calls, pass } = watch(t)
    api.isHidden = true
    await pass(10_000)
    assert.deepEqual(calls, [])
  })

  it('does not report a disconnect after the computer slept', async (t) => {
    const { api, monitor, pass } = watch(t)
    api.answer = never
    await pass(2_000)
    t.mock.timers.setTime(Date.now() + 3_600_000)
    api.answer = async () => {}
    await pass(1_000)
    assert.deepEqual(monitor.state(), { isConnected: true })
  })
})
