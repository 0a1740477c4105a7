import type { ErrorClass, ErrorValues, FieldProblem } from '@muster/contract'

export type { ErrorClass, FieldProblem }

interface Facts<Class extends ErrorClass> {
  readonly class: Class
  readonly status: number
  readonly details: string
  readonly requestId: string | undefined
  /** In seconds. */
  readonly retryAfter?: number | undefined
  readonly fields?: readonly FieldProblem[] | undefined
  readonly values?: ErrorValues | undefined
}

/** An error response of the API, with its error class from the contract. */
export class ApiError<Class extends ErrorClass = ErrorClass> extends Error {
  override readonly name = 'ApiError'
  readonly class: Class
  readonly status: number
  readonly details: string
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly fields: readonly FieldProblem[]
  /** What the error is about, for texts of your own. */
  readonly values: ErrorValues

  constructor(facts: Facts<Class>) {
    super(`${facts.class}: ${facts.details}`)
    this.class = facts.class
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.fields = facts.fields ?? []
    this.values = facts.values ?? {}
  }
}

/**
 * There was no complete response of the API: no network, an unknown host, a closed connection, or the page
 * of a proxy.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** Whether an error is an `ApiError`, optionally of one of these classes. */
export function isApiError<Class extends ErrorClass = ErrorClass>(
  error: unknown,
  ...classes: readonly Class[]
): error is ApiError<Class> {
  if (!(error instanceof ApiError)) return false
  return classes.length === 0 || (classes as readonly ErrorClass[]).includes(error.class)
}
