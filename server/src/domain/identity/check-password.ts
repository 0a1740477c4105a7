import { setTimeout as pause } from 'node:timers/promises'
import type { LoginGuard, LoginTurn, PasswordHasher } from './ports.ts'
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

  /** Asked outside of the queue of comparisons: a provider that is slow must not delay other logins. */
  async function askElsewhere(bucket: string, askProvider: () => Promise<boolean>) {
    try {
      return await askProvider()
    } catch (error) {
      await guard.release(bucket)
      throw error
    }
  }

  /** `askProvider` is asked about a password that does not match the hash. It may reject: then nothing counts. */
  return async function checkPassword(
    userKey: string,
    address: string,
    hash: string | null,
    password: string,
    askProvider?: () => Promise<boolean>,
  ): Promise<boolean> {
    const { turn, matches } = await hasher.inTurn(async (compare) => {
      const turn = await awaitTurn(userKey, address)
      const compared = turn.verdict === 'admitted' ? hash : null
      return { turn, matches: await compare(compared, password) }
    })
    if (turn.verdict !== 'admitted') return false
    const { bucket } = turn
    const right = matches || (askProvider ? await askElsewhere(bucket, askProvider) : false)
    await guard.settle(bucket, userKey, address, right, clock())
    return right
  }
}
export type CheckPassword = ReturnType<typeof createCheckPassword>
