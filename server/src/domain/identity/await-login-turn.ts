import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { LoginGuard, LoginTurn } from './ports.ts'

const busyPause = 20
const busyTries = 100

/** Waits for running comparisons rather than refusing, since all of them may succeed. */
export function createAwaitLoginTurn(guard: Pick<LoginGuard, 'begin'>, clock: Clock) {
  return async function awaitLoginTurn(userKey: string, address: string): Promise<LoginTurn> {
    for (let tries = 0; tries < busyTries; tries += 1) {
      const turn = await guard.begin(userKey, address, clock())
      if (turn.verdict !== 'busy') return turn
      await pause(busyPause)
    }
    return { verdict: 'refused' }
  }
}
