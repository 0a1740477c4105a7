import type { IdentityRequest } from '@muster/contract'
import type { TokenPreconditions } from '../ports.ts'
import type { AccessKeyUse, TokenScope } from '../records.ts'
import type { UserSummary } from '../../user-summary.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { RequestedScope } from '../scope.ts'

/** What a method found out: who it is, and what limits the token that follows. */
export interface AuthenticationResult {
  readonly user: UserSummary
  /** The token must not live longer than what it was got with. */
  readonly expiresAt?: number
  /** What it rests on: by the time the token is written this must still be so. */
  readonly preconditions?: TokenPreconditions
  /** The credential's own scope, for one that has it: no other can be got with it. */
  readonly scope?: TokenScope
  /** The access key that was used; the token tells of it. */
  readonly accessKey?: AccessKeyUse
  /** The token that this one is made from. */
  readonly parent?: { readonly id: string; readonly generation: number }
}

/** One way to prove who you are. A new method is a file beside this one and a line in `compose-identity.ts`. */
export interface AuthMethod {
  /** The names in `auth.identity.methods`; the first is what the token reports. */
  readonly names: readonly [string, ...string[]]
  /** The key of `auth.identity` that holds its credential. */
  readonly section: Exclude<keyof IdentityRequest, 'methods'>
  /** Throws the one 401 for whoever cannot prove it. */
  authenticate(
    identity: IdentityRequest,
    origin: RequestOrigin,
    wish: RequestedScope,
  ): Promise<AuthenticationResult>
}
