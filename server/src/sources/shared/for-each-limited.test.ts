import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { forEachLimited } from './for-each-limited.ts'

test('works on a limited number of items at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachLimited([1, 2, 3, 4, 5], 2, async (item) => {
    running += 1
    most = Math.max(most, running)
    await nextTurn()
    running -= 1
    done.push(item)
  })
  assert.deepEqual([done.toSorted((one, other) => one - other), most], [[1, 2, 3, 4, 5], 2])
})

test('begins no further item after an error', async () => {
  const begun: number[] = []
  const working = forEachLimited([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item)
    await nextTurn()
    if (item === 1) throw new Error('failed')
  })
  await assert.rejects(working, /failed/)
  await nextTurn()
  assert.deepEqual(begun, [1, 2])
})
