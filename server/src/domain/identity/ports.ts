import type { EventRecord } from '../audit/event.ts'
import type { UserSummary } from '../user-summary.ts'
import type {
  AccessKeyRecord,
  Credentials,
  FactorRecord,
  UserStatus,
  TokenRecord,
  TokenScope,
} from './records.ts'

/** How a caller names a domain, a user or a project: by id, by name, or both (which must agree). */
export interface DomainReference {
  readonly id?: string
  readonly name?: string
}
export interface MemberReference {
  readonly id?: string
  readonly name?: string
  readonly domain?: DomainReference
}

/** What a login by name or id finds. */
interface CredentialLookup {
  /** The same for every spelling of the name, also of a user that does not exist. */
  readonly lookupKey: string
  /** The domain of the user, also of one that does not exist; empty if there is no such domain. */
  readonly domainId: string
  readonly credentials: Credentials | undefined
}

export interface Directory {
  /** Runs the same queries whether or not the user exists. */
  findCredentials(user: MemberReference): Promise<CredentialLookup>
  loadUserStatus(userId: string): Promise<UserStatus | undefined>
  /** By the hash of its secret. */
  findPasswordLink(hash: string): Promise<PasswordLink | undefined>
}

/** A link to set a first password. */
interface PasswordLink {
  readonly user: UserSummary
  readonly hasPassword: boolean
  readonly expiresAt: number
  readonly creator: LinkCreator
}

/** Who created a link, in which scope, and with which access key. */
export interface LinkCreator {
  readonly userId: string
  readonly scope: TokenScope
  readonly accessKeyId: string | null
}

/** A credential that is accepted once. */
export interface SingleUse {
  readonly id: string
  readonly address: string
  readonly at: number
  /** A repeat from the same address within this many milliseconds counts as the same use. */
  readonly grace: number
}

/** What an identity provider said, which is recorded with the token. */
export interface Confirmation {
  readonly providerId: string
  readonly subject: string
  readonly at: number
}

/** What must still hold when the token is written; otherwise it is not written. */
export interface TokenPreconditions {
  /** The hash that was compared is still the user's, and the domain has the same rule about passwords. */
  readonly password?: { readonly hash: string; readonly isRestricted: boolean }
  /** The access key still exists and is enabled; its use is recorded. */
  readonly accessKeyId?: string
  /** The identity provider still exists and is enabled, and the subject is still the user's. */
  readonly confirmation?: Confirmation
  /** The credential was not used before. */
  readonly singleUse?: SingleUse
  /** The code of a second factor was not used before, nor was a later one. */
  readonly factorUse?: FactorUse
}

/** The use of a code, which works once. */
export type FactorUse =
  | { readonly kind: 'totp'; readonly factorId: string; readonly step: number }
  | { readonly kind: 'recovery_code'; readonly userId: string; readonly hash: string }

/** The second factors of users, as logins read them. */
export interface FactorStore {
  list(userId: string): Promise<readonly FactorRecord[]>
  hasRecoveryCode(userId: string, hash: string): Promise<boolean>
  countRecoveryCodes(userId: string): Promise<number>
  /** When somebody else last removed the factors of a user. */
  findReset(userId: string): Promise<{ readonly at: number; readonly by: string } | undefined>
}

export interface TokenStore {
  /**
   * Writes a token and its events. False if a precondition, the user, the scope or the parent no longer
   * holds: then nothing was written. Throws a 429 at the limit of live tokens of the user.
   */
  insert(
    token: TokenRecord,
    preconditions: TokenPreconditions,
    ...events: EventRecord[]
  ): Promise<boolean>
  /** Marks a credential as used before it is checked. False if it was used before. */
  useOnce(singleUse: SingleUse): Promise<boolean>
  find(id: string): Promise<TokenRecord | undefined>
  /** Also revokes every token that was issued from it. */
  revoke(id: string, event: EventRecord): Promise<void>
  /** Also purges used credentials that have expired anyway. */
  purgeExpired(now: number): Promise<void>
}

export interface AccessKeyStore {
  find(id: string): Promise<AccessKeyRecord | undefined>
}

export type LoginTurn =
  /** Compare the password, then settle. */
  | { readonly verdict: 'admitted'; readonly bucket: string }
  /** The user is in a delay after failures: no comparison counts. */
  | { readonly verdict: 'refused' }
  /** Too many comparisons are running; wait until one has settled. */
  | { readonly verdict: 'busy' }

/**
 * Counts failed password logins per user in the database, so that all processes share the count.
 */
export interface LoginGuard {
  begin(userKey: string, address: string, now: number): Promise<LoginTurn>
  settle(
    bucket: string,
    userKey: string,
    address: string,
    success: boolean,
    now: number,
  ): Promise<void>
  /** Ends a comparison that came to no result. */
  release(bucket: string): Promise<void>
  /** The addresses from which the user has logged in since then. */
  listAddresses(userKey: string, since: number): Promise<readonly string[]>
  purgeIdle(now: number): Promise<void>
}

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /**
   * Runs `work` in the bounded queue. Without a hash, `compare` takes as long as with one and returns
   * false.
   */
  inTurn<Result>(work: (compare: Compare) => Promise<Result>): Promise<Result>
}
export type Compare = (hash: string | null, password: string) => Promise<boolean>

/** A stable key for a user name that does not exist, without storing what was typed. */
export type Pseudonym = (text: string) => string

/** The version of the identity data that this process knows. */
export interface IdentityVersion {
  /** Undefined while the process cannot follow changes: then no cache may be used. */
  current(): number | undefined
}
