import { setTimeout as pause } from 'node:timers/promises'
import { badField, loginFailed } from '../../error.ts'
import type {
  Clock,
  Compare,
  Directory,
  LoginGuard,
  LoginTurn,
  MemberReference,
  PasswordHasher,
  Pseudonym,
} from '../ports.ts'
import type { Method } from './method.ts'

const longestPassword = 1_024
const busyPause = 20
const busyTries = 100

interface Dependencies {
  readonly directory: Directory
  readonly guard: LoginGuard
  readonly hasher: PasswordHasher
  readonly pseudonym: Pseudonym
  readonly clock: Clock
}

/** A name or id and a password. Every failure costs the same work and is the same 401. */
export function createPasswordMethod(dependencies: Dependencies): Method {
  const { directory, guard, hasher, pseudonym, clock } = dependencies

  /** Comparisons under way may all turn out right: wait for them rather than refuse. */
  async function awaitTurn(account: string, address: string): Promise<LoginTurn> {
    for (let tries = 0; tries < busyTries; tries += 1) {
      const turn = await guard.begin(account, address, clock())
      if (turn.verdict !== 'busy') return turn
      await pause(busyPause)
    }
    return { verdict: 'refused' }
  }

  async function compareInTurn(
    compare: Compare,
    attempt: { account: string; address: string; hash: string | null; password: string },
  ): Promise<boolean> {
    const { account, address, hash, password } = attempt
    const turn = await awaitTurn(account, address)
    if (turn.verdict !== 'admitted') {
      await compare(null, password)
      return false
    }
    const right = await compare(hash, password)
    await guard.settle(turn.bucket, account, address, right, clock())
    return right
  }

  return {
    names: ['password'],
    section: 'password',
    async authenticate({ password: section }, { ip: address }) {
      if (!section) throw badField('auth.identity.password', 'is required', 'MissingParameterError')
      const { password, ...user } = section.user
      demandName(user)
      if (Buffer.byteLength(password) > longestPassword) throw loginFailed('password too long')

      const { spelling, credentials: found } = await directory.findAccount(user)
      const account = found?.userId ?? pseudonym(spelling)
      const hash = found?.passwordHash ?? null
      const right = await hasher.inTurn((compare) =>
        compareInTurn(compare, { account, address, hash, password }),
      )
      if (!found || !right || hash === null) throw loginFailed('wrong name or password, or delayed')
      if (hasEnded(found.passwordExpiresAt, clock())) throw loginFailed('password expired')
      return { userId: found.userId, passwordHash: hash }
    },
  }
}

const hasEnded = (end: number | null, now: number) => end !== null && end <= now

function demandName({ id, name }: MemberReference): void {
  if (id === undefined && name === undefined) {
    throw badField('auth.identity.password.user', 'needs an id or a name', 'MissingParameterError')
  }
}
