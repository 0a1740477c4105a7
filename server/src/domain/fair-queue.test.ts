import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { PlatformError } from './error.ts'
import { createFairQueue } from './fair-queue.ts'

const limits = {
  name: 'queries',
  capacity: 3,
  perKey: 2,
  mostWaiting: 6,
  mostWaitingPerKey: 4,
  longestWait: 5_000,
}

/** A queue that tells in which order it lets work begin, and ends it on demand. */
function createTrial(changes: Partial<typeof limits> = {}) {
  const queue = createFairQueue({ ...limits, ...changes })
  const begun: string[] = []
  const releases = new Map<string, () => void>()
  return {
    begun,
    ask(name: string, options: { signal?: AbortSignal; weight?: number } = {}) {
      const begin = async () => {
        const release = await queue.acquire({ key: name.slice(0, 1), ...options })
        begun.push(name)
        releases.set(name, release)
      }
      const admitted = begin()
      admitted.catch(() => {})
      return admitted
    },
    async end(name: string) {
      releases.get(name)?.()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const refusal = (status: number) => (error: unknown) =>
  error instanceof PlatformError && error.status === status && error.retryAfter !== undefined

describe('a fair queue', () => {
  test('lets keys take turns, however many one of them asks for', async () => {
    const trial = createTrial()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void trial.ask(name)
    await settled()
    assert.deepEqual(trial.begun, ['a1', 'a2', 'b1'])
    await trial.end('a1')
    await trial.end('b1')
    await trial.end('a3')
    await trial.end('b2')
    assert.deepEqual(trial.begun.slice(3), ['a3', 'b2', 'c1', 'a4'])
  })

  test('always leaves room for a second key', async () => {
    const trial = createTrial()
    for (const name of ['a1', 'a2', 'a3']) void trial.ask(name)
    await settled()
    assert.deepEqual(trial.begun, ['a1', 'a2'])
    await trial.ask('b1')
  })

  test('drops what nobody waits for any more', async () => {
    const trial = createTrial({ capacity: 1, perKey: 1 })
    const gone = new AbortController()
    await trial.ask('a1')
    const dropped = trial.ask('b1', { signal: gone.signal })
    void trial.ask('c1')
    gone.abort()
    await assert.rejects(dropped, refusal(503))
    await assert.rejects(trial.ask('b2', { signal: gone.signal }), refusal(503))
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'c1'])
  })

  test('is bounded for each key, and in all', async () => {
    const trial = createTrial()
    for (const number of [1, 2, 3, 4, 5, 6]) void trial.ask(`a${number}`)
    await assert.rejects(trial.ask('a7'), refusal(429))
    await trial.ask('b1')
    void trial.ask('b2')
    void trial.ask('c1')
    await assert.rejects(trial.ask('d1'), refusal(503))
  })

  test('lets nobody wait for ever', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const trial = createTrial({ capacity: 1, perKey: 1 })
    await trial.ask('a1')
    const late = trial.ask('b1')
    t.mock.timers.tick(limits.longestWait)
    await assert.rejects(late, refusal(503))
    await trial.end('a1')
    await trial.ask('b2')
  })

  test('holds by weight, and lets nothing light overtake something heavy', async () => {
    const trial = createTrial({ capacity: 10, perKey: 8 })
    await trial.ask('a1', { weight: 6 })
    void trial.ask('b1', { weight: 8 })
    void trial.ask('c1', { weight: 1 })
    await settled()
    assert.deepEqual(trial.begun, ['a1'])
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'b1', 'c1'])
    // What is heavier than a key may be alone counts as much as it may be.
    await trial.end('b1')
    await trial.ask('d1', { weight: 100 })
  })

  test('gives room back once', async () => {
    const trial = createTrial({ capacity: 1, perKey: 1 })
    for (const name of ['a1', 'b1', 'c1']) void trial.ask(name)
    await settled()
    await trial.end('a1')
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'b1'])
  })
})
