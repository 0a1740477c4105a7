import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { merge } from './merge.ts'

describe('merging sequences', () => {
  test('yields every item once, with limited concurrency', async () => {
    let running = 0
    let most = 0
    const sequences = Array.from(
      { length: 7 },
      (_, number) =>
        async function* () {
          most = Math.max(most, (running += 1))
          for (let item = 0; item < number; item += 1) {
            await pause(number % 3)
            yield `${number}.${item}`
          }
          running -= 1
        },
    )
    const items = await Array.fromAsync(merge(sequences, 3))
    assert.equal(new Set(items).size, 21)
    assert.equal(items.length, 21)
    assert.ok(most <= 3)
    assert.deepEqual(await Array.fromAsync(merge([], 3)), [])
  })

  test('ends with the first error and closes the other sequences', async () => {
    let isClosed = false
    const good = async function* () {
      try {
        for (;;) {
          await pause(1)
          yield 1
        }
      } finally {
        isClosed = true
      }
    }
    const bad = async function* () {
      await pause(5)
      yield 2
      throw new Error('broken')
    }
    await assert.rejects(Array.fromAsync(merge([good, bad, bad], 3)), /broken/)
    await pause(10)
    assert.ok(isClosed)
  })
})
