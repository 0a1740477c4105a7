import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHealth, type ClockReading } from './health.ts'

function startHealth(reading: Partial<ClockReading> = {}, maxAge = 0) {
  const state = { offset: 0, failure: undefined as Error | undefined, pings: 0 }
  const lines: string[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push([level, message, ...Object.values(fields)].join(' | '))
  const health = createHealth({
    async ping() {
      state.pings += 1
      if (state.failure) throw state.failure
    },
    readClock: () => ({
      time: performance.timeOrigin + performance.now(),
      takenAt: performance.now(),
      uncertainty: 0,
      ...reading,
    }),
    clock: () => performance.timeOrigin + performance.now() + state.offset,
    maxAge,
    log: { error: write('error'), warn: write('warn'), info: write('info') },
  })
  return { health, state, lines }
}

describe('health', () => {
  test('REL-10: warns of a clock that is 1 s off, and is a problem from 5 s, in both directions', async () => {
    const { health, state, lines } = startHealth()
    const kinds = async (offset: number) => {
      state.offset = offset
      return (await health.check()).map(({ kind }) => kind)
    }
    assert.deepEqual(await kinds(900), [])
    assert.equal(lines.length, 0)
    assert.deepEqual(await kinds(-1_100), [])
    assert.match(lines.join('\n'), /^warn \| .*1\.1 s behind that of the database[^\n]*$/)
    assert.deepEqual(await kinds(6_000), ['clock'])
    assert.deepEqual(await kinds(-6_000), ['clock'])
    assert.match(health.problems()[0]?.text ?? '', /6\.0 s behind/)
    assert.deepEqual(await kinds(0), [])
    const levels = lines.map((line: string) => line.split(' | ')[0])
    assert.deepEqual(levels, ['warn', 'error', 'info'])
  })

  test('REL-10: a slow answer does not make a clock wrong', async () => {
    const { health, state } = startHealth({ uncertainty: 3_000 })
    state.offset = 7_900
    assert.deepEqual(await health.check(), [])
    const offset = health.clockOffset() ?? 0
    // The clock runs on during the check.
    assert.ok(Math.abs(offset - 4_900) < 1_000, String(offset))
  })

  test('logs the start and the end of a problem once, with its reason', async () => {
    const { health, state, lines } = startHealth()
    await health.check()
    state.failure = new Error('The disk is full.')
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(await health.check(), [{ kind: 'database', text: 'The disk is full.' }])
    }
    state.failure = undefined
    assert.deepEqual(await health.check(), [])
    assert.deepEqual(lines, ['error | not ready | The disk is full.', 'info | ready again'])
  })

  test('concurrent and repeated checks share one', async () => {
    const { health, state } = startHealth({}, 60_000)
    await Promise.all([health.check(), health.check(), health.check()])
    await health.check()
    assert.equal(state.pings, 1)
  })
})
