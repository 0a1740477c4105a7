import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { readBoolean } from './boolean.ts'

test('SEC-14: reads a stored boolean as 0 or 1, and throws for anything else', () => {
  assert.equal(readBoolean(0), false)
  assert.equal(readBoolean(1), true)
  const others = [true, false, '0', '1', 'true', 'false', 'FALSE', '', null, undefined, 2, -1]
  for (const other of [...others, 0.5, Number.NaN, 1n, 0n, [], [1], {}]) {
    assert.throws(() => readBoolean(other), TypeError, `${typeof other} ${inspect(other)}`)
  }
})
