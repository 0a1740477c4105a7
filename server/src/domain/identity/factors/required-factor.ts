import { factorFreshMinutes, type FactorNeed } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { isPersonal } from '../login-rules.ts'
import type { Principal } from '../principal.ts'

const freshTime = factorFreshMinutes * 60_000

type Bearer = Pick<Principal, 'token' | 'userStatus'>

/** What the user of a token has to do before it can be used. Programs have no second factor. */
export function findFactorNeed({ token, userStatus }: Bearer): FactorNeed {
  if (!isPersonal(token.login) || token.factor !== null) return 'none'
  // Who logs in at a provider is asked there. A session from before the factor was added is not enough.
  return userStatus.hasFactor && token.login.method === 'password' ? 'verify' : 'none'
}

/** Throws unless a code was sent with the token a short time ago, if its user has a second factor. */
export function requireFreshFactor({ token, userStatus }: Bearer, now: number): void {
  if (!isPersonal(token.login) || !userStatus.hasFactor) return
  if (token.factor === null || token.factor.at <= now - freshTime) throw factorRequired('verify')
}

const texts = {
  enrol:
    'Your domain or a role of yours requires a second factor. Add one with POST /v3/users/{id}/factors, and confirm it.',
  verify:
    'Send a code of your second factor with POST /v3/users/{id}/factors/verify, and try again.',
  log_in: 'Send the passcode of your second factor with the password.',
} as const

export const factorRequired = (reason: keyof typeof texts): PlatformError =>
  new PlatformError('FactorRequiredError', texts[reason], { values: { reason } })
