import type { Credentials, Standing, TokenRecord } from './records.ts'

export type Clock = () => number

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
interface Account {
  /** One text for every spelling of the account, whether it exists or not. */
  readonly spelling: string
  readonly credentials: Credentials | undefined
}

export interface Directory {
  /** Reads the same whether the account exists or not. */
  findAccount(user: MemberReference): Promise<Account>
  loadStanding(userId: string): Promise<Standing | undefined>
}

export interface TokenStore {
  /**
   * False when the user, the scope or the parent went away meanwhile, or the password that proved
   * the user is no longer the user's: then nothing was written.
   */
  insert(token: TokenRecord, provenBy?: { readonly passwordHash?: string }): Promise<boolean>
  find(id: string): Promise<TokenRecord | undefined>
  /** Takes every token made from it along. */
  revoke(id: string): Promise<void>
  purgeExpired(now: number): Promise<void>
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
export interface News {
  /** Undefined when the process has lost touch: then nothing remembered may be trusted. */
  current(): number | undefined
}
