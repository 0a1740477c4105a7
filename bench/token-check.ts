import { bestOfRounds, boundRow, type Benchmark } from './benchmark.ts'
import { createTokenFixture } from './token-fixture.ts'

const checks = 200_000

/** Microseconds per call, over many sequential calls. */
async function timeEach(count: number, call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  for (let done = 0; done < count; done += 1) await call()
  return ((performance.now() - begin) * 1_000) / count
}

export const tokenChecks: Benchmark = {
  id: 'P10',
  title: 'token verification',
  async measure() {
    const fixture = await createTokenFixture()
    const { verifyKnown, verifyUnknown, readRow } = fixture
    const best = await bestOfRounds(
      {
        known: () => timeEach(checks, verifyKnown),
        unknown: () => timeEach(checks / 20, verifyUnknown),
        read: () => timeEach(checks / 20, readRow),
      },
      Math.min,
    )
    await fixture.close()
    return [
      boundRow('a cached token', 'µs', best.known, 10),
      {
        what: 'an uncached token of a cached user',
        measured: `${(best.unknown / best.read).toFixed(2)} (${best.unknown.toFixed(0)} µs; the read alone ${best.read.toFixed(0)} µs)`,
        target: '≤ 1.50 of one indexed read',
        reached: best.unknown / best.read <= 1.5,
      },
    ]
  },
}
