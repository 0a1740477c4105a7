import { errorStatus, type ErrorClass } from '@muster/contract'
import { PlatformError } from '../domain/error.ts'

/** An error as plain data, because errors lose their properties between threads. */
export interface Failure {
  readonly class: ErrorClass | undefined
  readonly message: string
  readonly retryAfter: number | undefined
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
