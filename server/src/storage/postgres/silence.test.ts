import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSilenceGuard } from './silence.ts'

const timeout = 50
const never = () => new Promise<never>(() => {})

void describe('a database that answers nobody', () => {
  test('ends what waits', async () => {
    const guard = createSilenceGuard(() => Number.NEGATIVE_INFINITY, timeout)
    await assert.rejects(guard(never(), performance.now()), { class: 'ServiceUnavailable' })
  })

  test('is not one whose statements are answered, even if polls are not', async () => {
    const guard = createSilenceGuard(() => Number.NEGATIVE_INFINITY, 10 * timeout)
    const state = { isDone: false }
    const slow = guard(
      pause(2_500).then(() => (state.isDone = true)),
      performance.now(),
    )
    while (!state.isDone) await guard(pause(25), performance.now(), true)
    assert.equal(await slow, true)
  })

  test('is one that only gives out free connections', async () => {
    const guard = createSilenceGuard(() => Number.NEGATIVE_INFINITY, timeout)
    const waiting = assert.rejects(guard(never(), performance.now()))
    const isEnded = waiting.then(() => true)
    while (!(await Promise.race([isEnded, guard(pause(25, false), performance.now())])));
  })
})
