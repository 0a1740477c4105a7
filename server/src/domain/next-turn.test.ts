import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { nextTurn } from './next-turn.ts'

test('gives each turn of the event loop to one task at most', async () => {
  let chunks = 0
  const waiting = Array.from({ length: 5 }, async () => {
    await nextTurn()
    chunks += 1
  })
  let before = 0
  while (before < waiting.length) {
    await nextImmediate()
    assert.ok(chunks - before <= 1, `${chunks - before} in one turn`)
    before = chunks
  }
  await Promise.all(waiting)
})
