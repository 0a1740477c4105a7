import { errorStatus, type ErrorClass } from '@muster/contract'
import { PlatformError } from '../domain/error.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { Extension } from '../storage/database.ts'

/** What the thread that works with sources is started with. */
export interface SyncThreadData {
  readonly storage: Extension
  readonly secretKeyFile: string
  readonly reachable: readonly string[]
  readonly disappearanceHold: number
  readonly runner: string
}

type Method = keyof SyncClient

/** What is asked of the thread. */
export type SyncRequest =
  | { readonly id: number; readonly method: Method; readonly parameters: readonly unknown[] }
  | 'stop'

/** What went wrong, as it crosses from thread to thread. */
export interface Failure {
  readonly class: ErrorClass | undefined
  readonly message: string
  readonly retryAfter: number | undefined
}

/** What the thread has to say. */
export type SyncMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }
  | {
      readonly kind: 'servers-committed'
      readonly version: number
      readonly scopes: ReadonlySet<string>
    }
  | {
      readonly kind: 'log'
      readonly level: 'debug' | 'info' | 'warn'
      readonly fields: object
      readonly message: string
    }

export function toFailure(error: unknown): Failure {
  const { message } = error as Error
  const known = error instanceof PlatformError ? error : undefined
  return { class: known?.class, message, retryAfter: known?.retryAfter }
}

export function fromFailure({ class: errorClass, message, retryAfter }: Failure): Error {
  if (errorClass === undefined || !(errorClass in errorStatus)) return new Error(message)
  return new PlatformError(errorClass, message, retryAfter === undefined ? {} : { retryAfter })
}
