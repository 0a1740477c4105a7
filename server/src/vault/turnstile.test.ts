import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createTurnstile } from './turnstile.ts'

/** Work that ends when the test says so. */
function createWork() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  return {
    started,
    do: (name: string) => () => {
      started.push(name)
      const end = Promise.withResolvers<string>()
      ends.set(name, end)
      return end.promise
    },
    finish: async (name: string) => {
      ends.get(name)?.resolve(name)
      await turn()
    },
    fail: async (name: string) => {
      ends.get(name)?.reject(new Error(name))
      await turn()
    },
  }
}

const refused = new Error('too many')
const open = (abreast: number, longestQueue: number) =>
  createTurnstile({ abreast, longestQueue, refuse: () => refused })

describe('the turnstile', () => {
  test('lets so many through abreast, and the rest in the order they came', async () => {
    const turnstile = open(2, 10)
    const work = createWork()
    const results = ['a', 'b', 'c', 'd'].map((name) => turnstile.pass(work.do(name)))
    await turn()
    assert.deepEqual(work.started, ['a', 'b'])
    assert.equal(turnstile.waiting(), 2)
    await work.finish('b')
    assert.deepEqual(work.started, ['a', 'b', 'c'])
    await work.finish('c')
    assert.deepEqual(work.started, ['a', 'b', 'c', 'd'])
    assert.equal(turnstile.waiting(), 0)
    await work.finish('a')
    await work.finish('d')
    assert.deepEqual(await Promise.all(results), ['a', 'b', 'c', 'd'])
  })

  test('turns away whoever finds the queue full, without doing the work', async () => {
    const turnstile = open(1, 1)
    const work = createWork()
    const inside = turnstile.pass(work.do('inside'))
    const queued = turnstile.pass(work.do('queued'))
    await assert.rejects(turnstile.pass(work.do('late')), refused)
    await work.finish('inside')
    await work.finish('queued')
    await Promise.all([inside, queued])
    assert.deepEqual(work.started, ['inside', 'queued'])
  })

  test('takes no more abreast after it has been full than before', async () => {
    const turnstile = open(1, 2)
    const work = createWork()
    const first = [turnstile.pass(work.do('a')), turnstile.pass(work.do('b'))]
    await turn()
    await work.finish('a')
    await work.finish('b')
    await Promise.all(first)
    const second = [turnstile.pass(work.do('c')), turnstile.pass(work.do('d'))]
    await turn()
    assert.deepEqual(work.started, ['a', 'b', 'c'])
    await work.finish('c')
    await work.finish('d')
    await Promise.all(second)
  })

  test('gives the place of work that fails to the next, and the failure to its owner', async () => {
    const turnstile = open(1, 5)
    const work = createWork()
    const failing = assert.rejects(turnstile.pass(work.do('bad')), /bad/)
    const next = turnstile.pass(work.do('good'))
    await turn()
    await work.fail('bad')
    await failing
    assert.deepEqual(work.started, ['bad', 'good'])
    await work.finish('good')
    assert.equal(await next, 'good')
  })
})
