import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { PlatformError } from './error.ts'
import { createBoundedQueue } from './bounded-queue.ts'

const limits = {
  name: 'queries',
  capacity: 3,
  perKey: 2,
  maxWaiting: 6,
  maxWaitingPerKey: 4,
  maxWait: 5_000,
}

/** A queue that records the order in which work begins, and ends it on demand. */
function createTrial(changes: Partial<typeof limits> = {}) {
  const queue = createBoundedQueue({ ...limits, ...changes })
  const begun: string[] = []
  const releases = new Map<string, () => void>()
  return {
    begun,
    request(
      name: string,
      options: { getSignal?: () => AbortSignal; weight?: number; isPatient?: boolean } = {},
    ) {
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

describe('a bounded queue', () => {
  test('lets keys take turns, however many requests one of them has', async () => {
    const trial = createTrial()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void trial.request(name)
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
    for (const name of ['a1', 'a2', 'a3']) void trial.request(name)
    await settled()
    assert.deepEqual(trial.begun, ['a1', 'a2'])
    await trial.request('b1')
  })

  test('drops requests whose client has gone', async () => {
    const trial = createTrial({ capacity: 1, perKey: 1 })
    const gone = new AbortController()
    await trial.request('a1')
    const dropped = trial.request('b1', { getSignal: () => gone.signal })
    void trial.request('c1')
    gone.abort()
    await assert.rejects(dropped, refusal(503))
    await assert.rejects(trial.request('b2', { getSignal: () => gone.signal }), refusal(503))
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'c1'])
  })

  test('rejects requests beyond the limit of a key and of the queue', async () => {
    const trial = createTrial()
    for (const number of [1, 2, 3, 4, 5, 6]) void trial.request(`a${number}`)
    await assert.rejects(trial.request('a7'), refusal(429))
    await trial.request('b1')
    void trial.request('b2')
    void trial.request('c1')
    await assert.rejects(trial.request('d1'), refusal(503))
  })

  test('rejects a request that has waited too long', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const trial = createTrial({ capacity: 1, perKey: 1 })
    await trial.request('a1')
    const late = trial.request('b1')
    t.mock.timers.tick(limits.maxWait)
    await assert.rejects(late, refusal(503))
    await trial.end('a1')
    await trial.request('b2')
  })

  test('lets patient requests wait for as long as their clients do', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const trial = createTrial({ capacity: 1, perKey: 1, maxWaiting: 1, maxWaitingPerKey: 1 })
    const gone = new AbortController()
    await trial.request('a1')
    void trial.request('a2')
    void trial.request('a3', { isPatient: true })
    const dropped = trial.request('b1', { isPatient: true, getSignal: () => gone.signal })
    t.mock.timers.tick(limits.maxWait)
    gone.abort()
    await assert.rejects(dropped, refusal(503))
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'a3'])
  })

  test('limits by weight, and lets no light request overtake a heavy one', async () => {
    const trial = createTrial({ capacity: 10, perKey: 8 })
    await trial.request('a1', { weight: 6 })
    void trial.request('b1', { weight: 8 })
    void trial.request('c1', { weight: 1 })
    await settled()
    assert.deepEqual(trial.begun, ['a1'])
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'b1', 'c1'])
    // A request heavier than the limit of its key counts as that limit.
    await trial.end('b1')
    await trial.request('d1', { weight: 100 })
  })

  test('releases capacity once, however often it is told to', async () => {
    const trial = createTrial({ capacity: 1, perKey: 1 })
    for (const name of ['a1', 'b1', 'c1']) void trial.request(name)
    await settled()
    await trial.end('a1')
    await trial.end('a1')
    assert.deepEqual(trial.begun, ['a1', 'b1'])
  })

  test('runs work in order without keys, and passes on what it returns or throws', async () => {
    const queue = createBoundedQueue({ name: 'logins', capacity: 1, maxWaiting: 2 })
    const started: string[] = []
    const work = (name: string, gate: Promise<void>) => () => {
      started.push(name)
      return gate.then(() => name)
    }
    const failing = Promise.withResolvers<void>()
    const first = queue.run(work('first', failing.promise))
    const second = queue.run(work('second', Promise.resolve()))
    const third = queue.run(work('third', Promise.resolve()))
    await assert.rejects(queue.run(work('fourth', Promise.resolve())), refusal(503))
    assert.equal(queue.counts().waiting, 2)
    failing.reject(new Error('broken'))
    await assert.rejects(first, /broken/)
    assert.deepEqual(await Promise.all([second, third]), ['second', 'third'])
    assert.deepEqual(started, ['first', 'second', 'third'])
    assert.equal(queue.counts().waiting, 0)
  })
})
