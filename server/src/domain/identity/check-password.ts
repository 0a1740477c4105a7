import type { Clock } from '../clock.ts'
import { createAwaitLoginTurn } from './await-login-turn.ts'
import type { LoginGuard, PasswordHasher } from './ports.ts'

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
  const awaitTurn = createAwaitLoginTurn(guard, clock)

  /** Asked outside of the queue of comparisons: a provider that is slow must not delay other logins. */
  async function askElsewhere(bucket: string, askProvider: () => Promise<boolean>) {
    try {
      return await askProvider()
    } catch (error) {
      await guard.release(bucket)
      throw error
    }
  }

  return async function checkPassword(
    userKey: string,
    address: string,
    hash: string | null,
    password: string,
    { askProvider, checkFactor = () => 'right' }: MoreChecks = {},
  ): Promise<boolean> {
    const { turn, matches } = await hasher.inTurn(async (compare) => {
      const turn = await awaitTurn(userKey, address)
      const compared = turn.verdict === 'admitted' ? hash : null
      return { turn, matches: await compare(compared, password) }
    })
    if (turn.verdict !== 'admitted') return false
    const { bucket } = turn
    const isPassword = matches || (askProvider ? await askElsewhere(bucket, askProvider) : false)
    const factor = isPassword ? checkFactor() : 'wrong'
    const right = factor === 'right'
    // A password without its code is no guess. But it must not make guesses of codes forgotten.
    if (factor === 'missing') await guard.release(bucket)
    else await guard.settle(bucket, userKey, address, right, clock())
    return right
  }
}

interface MoreChecks {
  /** Asked about a password that does not match the hash. It may reject: then nothing counts. */
  readonly askProvider?: (() => Promise<boolean>) | undefined
  /** Whether the login also has the second factor of the user. Asked about a right password only. */
  readonly checkFactor?: () => FactorResult
}
export type FactorResult = 'right' | 'wrong' | 'missing'
export type CheckPassword = ReturnType<typeof createCheckPassword>
