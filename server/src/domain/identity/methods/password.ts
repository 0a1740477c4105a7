import { badField, loginFailed } from '../../error.ts'
import type { CheckPassword } from '../check-password.ts'
import type { LoginLimit } from '../login-limit.ts'
import { longestPassword } from '../password-rules.ts'
import type { Directory, MemberReference, Pseudonym } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import type { AuthMethod } from './auth-method.ts'

interface Dependencies {
  readonly directory: Directory
  readonly checkPassword: CheckPassword
  readonly loginLimit: Pick<LoginLimit, 'requirePassword'>
  readonly pseudonym: Pseudonym
  readonly clock: Clock
}

/**
 * Login with a name or id and a password. Every failure takes the same time and is the same 401.
 */
export function createPasswordMethod(dependencies: Dependencies): AuthMethod {
  const { directory, checkPassword, loginLimit, pseudonym, clock } = dependencies

  return {
    names: ['password'],
    section: 'password',
    async authenticate({ password: section }, { ip: address }) {
      if (!section) throw badField('auth.identity.password', 'is required', 'MissingParameterError')
      const { password, ...user } = section.user
      requireName(user)
      if (Buffer.byteLength(password) > longestPassword) throw loginFailed('password too long')

      const { lookupKey, credentials: found } = await directory.findCredentials(user)
      const userKey = found?.user.id ?? pseudonym(lookupKey)
      await loginLimit.requirePassword(userKey, address)
      const hash = found?.passwordHash ?? null
      const right = await checkPassword(userKey, address, hash, password)
      if (!found || !right || hash === null) {
        throw loginFailed('wrong name or password, or delayed', found?.user)
      }
      if (hasEnded(found.passwordExpiresAt, clock())) {
        throw loginFailed('password expired', found.user)
      }
      return { user: found.user, preconditions: { passwordHash: hash } }
    },
  }
}

const hasEnded = (end: number | null, now: number) => end !== null && end <= now

function requireName({ id, name }: MemberReference): void {
  if (id === undefined && name === undefined) {
    throw badField('auth.identity.password.user', 'needs an id or a name', 'MissingParameterError')
  }
}
