import type { Readable } from 'node:stream'
import type {
  ErrorClass,
  FieldProblem,
  IdentityRequest,
  LoginOptions,
  ProcessRole,
} from '@muster/contract'

/** A stored session. Times are in milliseconds since 1970. */
export interface SessionRecord {
  /** The hash of the session name in the cookie. */
  readonly id: string
  readonly userId: string
  /** The tokens, encrypted with a key that only the browser has. */
  readonly sealed: string
  /** The name of its project or domain. */
  readonly scope: string
  readonly ip: string
  readonly userAgent: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
}

/** How long sessions of a user last by the rules of the domain, in milliseconds. Infinity: as long as others. */
export interface SessionLimits {
  readonly lifetime: number
  readonly idle: number
}

export interface SessionStore {
  insert(session: SessionRecord): Promise<void>
  find(id: string): Promise<(SessionRecord & { readonly limits: SessionLimits }) | undefined>
  limitsOf(userId: string): Promise<SessionLimits>
  /** Replaces a session atomically. Returns false without changes if the old one does not exist. */
  replace(id: string, session: SessionRecord): Promise<boolean>
  touch(id: string, seenAt: number): Promise<void>
  /** Returns false if the user has no such session. */
  remove(id: string, userId: string): Promise<boolean>
  /** Sessions that have not expired and were used since then, latest first. */
  listOf(
    userId: string,
    since: { readonly seen: number; readonly now: number },
  ): Promise<readonly SessionRecord[]>
  /** Deletes sessions that have expired or were not used since then. */
  purge(since: { readonly seen: number; readonly now: number }): Promise<void>
}

export interface UpstreamRequest {
  /** The process roles that serve the operation, as the contract says. */
  readonly servedBy: readonly ProcessRole[]
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The address of the browser. */
  readonly ip: string
  readonly protocol: string
  readonly host: string
  readonly signal: AbortSignal
}

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | number | undefined>>
  readonly body: Readable
}

/** Calls the public API in this or another process. */
export type Upstream = (request: UpstreamRequest) => Promise<UpstreamAnswer>

/** What the browser keeps while it is at an identity provider. */
type RememberedValues = Readonly<Record<string, string>>

/** Logins on pages of identity providers. */
export interface ProviderLogins {
  /** Those of the domain with this name, or all. */
  list(domain?: string): Promise<readonly { readonly id: string; readonly name: string }[]>
  /**
   * Undefined if there is no such provider, or none whose logins can be linked in a browser. Rejects if it
   * does not answer.
   */
  begin(
    id: string,
    callback: string,
    purpose: 'log-in' | 'link',
  ): Promise<{ readonly address: string; readonly remembered: RememberedValues } | undefined>
  /** The credential with which the browser came back; undefined if it holds none. */
  readAnswer(
    id: string,
    query: URLSearchParams,
    attempt: {
      readonly isNamed: boolean
      readonly callback: string
      readonly remembered: RememberedValues
    },
  ): Promise<IdentityRequest | undefined>
  /** The provider at which the login of a token was; undefined if there was none. */
  providerOf(token: string): Promise<string | undefined>
  /** The page that logs out at a provider too; undefined if there is none. */
  logoutPage(id: string, returnTo: string): Promise<string | undefined>
  /** Ends the logins that a message of the provider names. Rejects any other message. */
  endLogins(
    id: string,
    message: string,
    origin: {
      readonly ip: string
      readonly requestId: string
      readonly isConfidential: boolean
    },
  ): Promise<void>
}

/**
 * Rejects with a `FactorRequiredError` if the password is right and the user has a second factor, whose
 * code must be sent too; and with the error of a failed login if such a user sends a wrong password.
 */
export type RequireCode = (
  login: {
    readonly user:
      | { readonly id: string }
      | { readonly name: string; readonly domain?: { readonly name: string } }
    readonly password: string
  },
  origin: { readonly ip: string; readonly requestId: string; readonly isConfidential: boolean },
) => Promise<void>

export type DemoPeople = NonNullable<LoginOptions['demo']>['people']

interface ErrorOptions {
  readonly cause?: unknown
  readonly retryAfter?: number
  readonly fields?: readonly FieldProblem[]
}

/** Creates an error that is sent in the format of the contract. */
export type CreateError = (errorClass: ErrorClass, details: string, options?: ErrorOptions) => Error
