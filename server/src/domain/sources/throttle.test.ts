import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createThrottle } from './open-source.ts'

/** How many of so many may go on at once. */
async function countFree(pace: () => Promise<void>, asked: number): Promise<number> {
  let free = 0
  for (let number = 0; number < asked; number += 1) void pace().then(() => (free += 1))
  await new Promise(setImmediate)
  return free
}

describe('the rate limit of a source', () => {
  test('allows a burst of one second’s requests', async () => {
    assert.equal(
      await countFree(
        createThrottle(4, () => 0),
        9,
      ),
      4,
    )
  })

  test('allows no larger burst after a long idle time', async () => {
    let now = 0
    const pace = createThrottle(4, () => now)
    now = 3_600_000
    assert.ok((await countFree(pace, 9)) <= 5)
  })

  test('allows as many requests as time has passed for', async () => {
    let now = 0
    const pace = createThrottle(4, () => now)
    await countFree(pace, 4)
    now = 500
    assert.equal(await countFree(pace, 9), 2)
  })

  test('delays requests beyond the limit and keeps their order', async () => {
    const pace = createThrottle(100, () => 0)
    assert.equal(await countFree(pace, 100), 100)
    const finished: number[] = []
    const delayed = [1, 2, 3, 4].map(async (number) => {
      await pace()
      finished.push(number)
    })
    await new Promise(setImmediate)
    assert.deepEqual(finished, [])
    await Promise.all(delayed)
    assert.deepEqual(finished, [1, 2, 3, 4])
  })
})
