import type { Readable } from 'node:stream'
import type { ErrorClass, FieldProblem, LoginOptions } from '@muster/contract'

/** A session as it is kept. Times are milliseconds since 1970. */
export interface SessionRecord {
  /** The hash of what the cookie holds. */
  readonly id: string
  readonly userId: string
  /** Its tokens, under a key that only the browser has. */
  readonly sealed: string
  /** The name of the project or domain that it is at. */
  readonly scope: string
  readonly ip: string
  readonly userAgent: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
}

export interface SessionStore {
  insert(session: SessionRecord): Promise<void>
  find(id: string): Promise<SessionRecord | undefined>
  /** One in place of another, in one step; false where that other is no longer there. */
  replace(id: string, session: SessionRecord): Promise<boolean>
  touch(id: string, seenAt: number): Promise<void>
  /** False where the user has no such session. */
  remove(id: string, userId: string): Promise<boolean>
  /** Those seen since then that have not ended, latest first. */
  listOf(
    userId: string,
    since: { readonly seen: number; readonly now: number },
  ): Promise<readonly SessionRecord[]>
  /** Removes those that have ended, or were not seen since. */
  purge(since: { readonly seen: number; readonly now: number }): Promise<void>
}

export interface UpstreamRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** For whom it is asked. */
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

/** The public API, in this process or elsewhere. */
export type Upstream = (request: UpstreamRequest) => Promise<UpstreamAnswer>

/** A CAS server that is set up and in use. */
export interface CasProvider {
  readonly id: string
  readonly name: string
  readonly url: string
  /** Where the CAS server sends browsers back to. */
  readonly serviceUrl: string
}

export type FindCasProviders = () => Promise<readonly CasProvider[]>

export type DemoPeople = NonNullable<LoginOptions['demo']>['people']

interface Particulars {
  readonly cause?: unknown
  readonly retryAfter?: number
  readonly fields?: readonly FieldProblem[]
}

/** How an error is made that is answered in the contract's way. */
export type Refuse = (errorClass: ErrorClass, details: string, particulars?: Particulars) => Error
