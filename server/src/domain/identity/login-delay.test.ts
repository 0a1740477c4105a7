import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failuresBeforeDelay, loginDelays } from './login-delay.ts'

test('ten failures pass, then the delay doubles from a second to a quarter of an hour', () => {
  assert.equal(failuresBeforeDelay, 10)
  const seconds = loginDelays.map((delay) => delay / 1_000)
  assert.deepEqual(seconds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900])
})
