import type { IdentityRequest, LinkRequest, TokenRequest } from '@muster/contract'
import { badField } from '../../error.ts'
import type { TokenPreconditions } from '../ports.ts'
import type { AccessKeyUse, TokenRecord, TokenScope } from '../records.ts'
import type { UserSummary } from '../../user-summary.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { RequestedScope } from '../token-scope.ts'

/** The user that a method authenticated, and the limits of the token. */
export interface AuthenticationResult {
  readonly user: UserSummary
  /** The token must not outlive the credential. */
  readonly expiresAt?: number
  /** What must still hold when the token is written. */
  readonly preconditions?: TokenPreconditions
  /** The only scope that the credential can be used for; undefined for any. */
  readonly scope?: TokenScope
  /** The access key that was used, which the token shows. */
  readonly accessKey?: AccessKeyUse
  /** The identity provider's name of its session. */
  readonly providerSession?: string | undefined
  /** The token that this one is issued from. */
  readonly parent?: Pick<
    TokenRecord,
    'id' | 'generation' | 'login' | 'providerId' | 'method' | 'factor'
  >
  /** Whether a program logged in with a method of people. */
  readonly isProgram?: boolean | undefined
  /** Whether the domain refuses the passwords of all others, so that this login is an alert. */
  readonly isBreakGlass?: boolean
}

/** A login method. A new one is a file beside this one and a line in `compose-identity.ts`. */
export interface AuthMethod {
  /** The names in `auth.identity.methods`; the first is what the token reports. */
  readonly names: readonly [string, ...string[]]
  /** The key of `auth.identity` that holds its credential. */
  readonly section: Exclude<keyof IdentityRequest, 'methods' | 'totp'>
  /** Whether it can link a login to the user of a token. */
  readonly links?: true
  /** Throws the one 401 if the credential is not valid. */
  authenticate(
    identity: IdentityRequest,
    origin: RequestOrigin,
    requested: RequestedScope,
    link?: LinkRequest,
    /** Whether to say that a password is right, but the code of the second factor is missing. */
    tellsMissingCode?: boolean,
  ): Promise<AuthenticationResult>
}

/** The only pair of methods. */
const isPair = (names: readonly string[]): boolean =>
  names.length === 2 && names.includes('password') && names.includes(secondMethod)

/** Only beside the password. */
const secondMethod = 'totp'

/** Finds the method that a request names. Any other credential beside it is an error. */
export function chooseMethod(
  methods: readonly AuthMethod[],
  { identity, link }: TokenRequest['auth'],
): AuthMethod {
  const hasFactor = isPair(identity.methods)
  if (identity.methods.length > 1 && !hasFactor) {
    throw badField('auth.identity.methods', 'must be one method, or "password" and "totp"')
  }
  const name = hasFactor ? 'password' : (identity.methods[0] ?? '')
  const chosen = methods.find((method) => method.names.includes(name))
  if (!chosen) {
    const known = methods.map(({ names }) => names[0]).join(', ')
    throw badField('auth.identity.methods.0', `must be one of ${known}`)
  }

  const given = Object.keys(identity).filter((key) => key !== 'methods')
  const stray = given.find((key) => key !== chosen.section && !(hasFactor && key === secondMethod))
  if (stray !== undefined) {
    throw badField(`auth.identity.${stray}`, `must not be sent with the method "${name}"`)
  }
  if (hasFactor && !identity.totp) {
    throw badField('auth.identity.totp', 'is required', 'MissingParameterError')
  }
  if (link && !chosen.links) {
    throw badField('auth.link', `must not be sent with the method "${name}"`)
  }
  return chosen
}
