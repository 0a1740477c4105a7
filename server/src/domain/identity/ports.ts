import type { EventRecord } from '../audit/event.ts'
import type { AccessKeyRecord, Credentials, UserStatus, TokenRecord } from './records.ts'

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

/** What was found behind the name that a caller gave. */
interface CredentialLookup {
  /** One text for every lookupKey of the account, whether it exists or not. */
  readonly lookupKey: string
  readonly credentials: Credentials | undefined
}

export interface Directory {
  /** Reads the same whether the account exists or not. */
  findCredentials(user: MemberReference): Promise<CredentialLookup>
  loadUserStatus(userId: string): Promise<UserStatus | undefined>
}

/** Something that is good once. */
export interface SingleUse {
  readonly id: string
  readonly address: string
  readonly at: number
  /** A repeat from the same address within so many milliseconds counts as the same use. */
  readonly grace: number
}

/** What must still be so when the token is written, or else it is not written. */
export interface TokenPreconditions {
  /** The hash that was compared is still the user's. */
  readonly passwordHash?: string
  /** The access key is still there and enabled; its use is noted. */
  readonly accessKeyId?: string
  /** The identity provider is still there and enabled. */
  readonly providerId?: string
  /** Nobody has spent this before. */
  readonly singleUse?: SingleUse
}

export interface TokenStore {
  /**
   * Writes a token and the event that tells of it. False when its preconditions, the user, the scope or
   * the parent went away meanwhile: then nothing was written. Throws a 429 where the user has as
   * many live tokens as the limit allows.
   */
  insert(
    token: TokenRecord,
    preconditions: TokenPreconditions,
    event: EventRecord,
  ): Promise<boolean>
  /** Spends something before it is known what it is worth. False when somebody has already. */
  useOnce(singleUse: SingleUse): Promise<boolean>
  find(id: string): Promise<TokenRecord | undefined>
  /** Takes every token made from it along. */
  revoke(id: string, event: EventRecord): Promise<void>
  /** Also forgets what was spent so long ago that nothing would take it any more. */
  purgeExpired(now: number): Promise<void>
}

export interface AccessKeyStore {
  find(id: string): Promise<AccessKeyRecord | undefined>
}

export type LoginTurn =
  /** Compare the password, then settle. */
  | { readonly verdict: 'admitted'; readonly bucket: string }
  /** The account is in its delay: no comparison counts. */
  | { readonly verdict: 'refused' }
  /** Too many comparisons are under way to admit another before one has settled. */
  | { readonly verdict: 'busy' }

/** Counts failed password logins per account, in the database, so that no path around it exists. */
export interface LoginGuard {
  begin(account: string, address: string, now: number): Promise<LoginTurn>
  settle(
    bucket: string,
    account: string,
    address: string,
    success: boolean,
    now: number,
  ): Promise<void>
  /** The addresses from which the account has logged in since then. */
  listAddresses(account: string, since: number): Promise<readonly string[]>
  purgeIdle(now: number): Promise<void>
}

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /**
   * Waits for a turn in the bounded queue, then runs `work`. Its `compare` does the same work
   * without a hash as with one, and says no.
   */
  inTurn<Result>(work: (compare: Compare) => Promise<Result>): Promise<Result>
}
export type Compare = (hash: string | null, password: string) => Promise<boolean>

/** Names an account that does not exist, without keeping what was typed. */
export type Pseudonym = (text: string) => string

/** The version of the identity data, as far as this process knows it. */
export interface IdentityVersion {
  /** Undefined when the process has lost touch: then nothing remembered may be trusted. */
  current(): number | undefined
}
