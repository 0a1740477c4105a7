import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from './error.ts'
import { conflicted, retryOnConflict } from './retry-on-conflict.ts'

/** Loses against other writers so often, then succeeds. */
function losing(times: number) {
  let calls = 0
  return {
    calls: () => calls,
    attempt: async () => {
      calls += 1
      return calls > times ? 'written' : undefined
    },
  }
}

describe('retryOnConflict', () => {
  test('decides again until a write succeeds', async () => {
    const writer = losing(3)
    assert.equal(await retryOnConflict(writer.attempt), 'written')
    assert.equal(writer.calls(), 4)
  })

  test('gives up after the last attempt with the given error', async () => {
    const writer = losing(10)
    const exhausted = () => conflicted('The view')
    await assert.rejects(
      retryOnConflict(writer.attempt, { maxAttempts: 3, exhausted }),
      (error) =>
        error instanceof PlatformError && error.status === 503 && /view/.test(error.message),
    )
    assert.equal(writer.calls(), 3)
  })

  test('does not retry other errors', async () => {
    let calls = 0
    const broken = retryOnConflict(async () => {
      calls += 1
      throw new Error('broken')
    })
    await assert.rejects(broken, /broken/)
    assert.equal(calls, 1)
  })
})
