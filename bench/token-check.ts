import { bestOfRounds, boundRow, type Figure } from './figure.ts'
import { createInstallation } from './installation.ts'

const checks = 200_000

/** Microseconds a call, over many calls one after the other. */
async function timeEach(count: number, call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  for (let done = 0; done < count; done += 1) await call()
  return ((performance.now() - begin) * 1_000) / count
}

export const tokenChecks: Figure = {
  id: 'P10',
  title: 'token check on a request',
  async measure() {
    const installation = await createInstallation()
    const { verifyKnown, verifyUnknown, readRow } = installation
    const best = await bestOfRounds(
      {
        known: () => timeEach(checks, verifyKnown),
        unknown: () => timeEach(checks / 20, verifyUnknown),
        read: () => timeEach(checks / 20, readRow),
      },
      Math.min,
    )
    await installation.close()
    return [
      boundRow('a known token', 'µs', best.known, 10),
      {
        what: 'a token not seen before, its user known',
        measured: `${(best.unknown / best.read).toFixed(2)} (${best.unknown.toFixed(0)} µs; the read alone ${best.read.toFixed(0)} µs)`,
        target: '≤ 1.50 of one indexed read',
        reached: best.unknown / best.read <= 1.5,
      },
    ]
  },
}
