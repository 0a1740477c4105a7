import type { ErrorBody } from './contract.ts'

/** The name of an error in the API, such as `DuplicateNameError`. */
export type ErrorClass = ErrorBody['class']
export type FieldProblem = NonNullable<ErrorBody['fields']>[number]
type ErrorValues = NonNullable<ErrorBody['values']>

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

/** The input is invalid: `fields` names what is wrong. Status 400. */
export class InvalidInputError extends ApiError {}

/** The login failed, or the token is no longer valid. Status 401. */
export class UnauthorizedError extends ApiError {}

/** The caller has no permission. Status 403. */
export class ForbiddenError extends ApiError {}

/** It does not exist, or the caller cannot see it. Status 404. */
export class NotFoundError extends ApiError {}

/** The current state does not allow it: a name is taken, or the server has changed. Status 409 or 412. */
export class ConflictError extends ApiError {}

/** Too many requests: `retryAfter` tells for how many seconds to wait. Status 429. */
export class RateLimitedError extends ApiError {}

/** Muster, or something between it and the client, does not respond now. Status 502, 503 or 504. */
export class UnavailableError extends ApiError {}

const errorOfStatus: Readonly<Record<number, new (facts: Facts<ErrorClass>) => ApiError>> = {
  400: InvalidInputError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  429: RateLimitedError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
}

export const createApiError = (facts: Facts<ErrorClass>): ApiError =>
  new (errorOfStatus[facts.status] ?? ApiError)(facts)

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
