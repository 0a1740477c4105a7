import { setTimeout as pause } from 'node:timers/promises'
import type { Compare, LoginGuard, LoginTurn, PasswordHasher } from './ports.ts'
import type { Clock } from '../clock.ts'

const busyPause = 20
const busyTries = 100

interface Dependencies {
  readonly guard: LoginGuard
  readonly hasher: PasswordHasher
  readonly clock: Clock
}

/**
 * Compares a password, for logins and for changes of a password alike. Failures count against the
 * user, and every comparison takes the same time.
 */
export function createCheckPassword({ guard, hasher, clock }: Dependencies) {
  /** Waits for running comparisons rather than refusing, since all of them may succeed. */
  async function awaitTurn(userKey: string, address: string): Promise<LoginTurn> {
    for (let tries = 0; tries < busyTries; tries += 1) {
      const turn = await guard.begin(userKey, address, clock())
      if (turn.verdict !== 'busy') return turn
      await pause(busyPause)
    }
    return { verdict: 'refused' }
  }

  async function compareInTurn(
    compare: Compare,
    attempt: { userKey: string; address: string; hash: string | null; password: string },
  ): Promise<boolean> {
    const { userKey, address, hash, password } = attempt
    const turn = await awaitTurn(userKey, address)
    if (turn.verdict !== 'admitted') {
      await compare(null, password)
      return false
    }
    const right = await compare(hash, password)
    await guard.settle(turn.bucket, userKey, address, right, clock())
    return right
  }

  return function checkPassword(
    userKey: string,
    address: string,
    hash: string | null,
    password: string,
  ): Promise<boolean> {
    return hasher.inTurn((compare) => compareInTurn(compare, { userKey, address, hash, password }))
  }
}
export type CheckPassword = ReturnType<typeof createCheckPassword>
