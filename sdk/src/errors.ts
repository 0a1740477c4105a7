import type { ErrorClass, FieldProblem } from '@muster/contract'

export type { ErrorClass, FieldProblem }

interface Facts<Class extends ErrorClass> {
  readonly class: Class
  readonly status: number
  readonly details: string
  readonly requestId: string | undefined
  /** In seconds. */
  readonly retryAfter?: number | undefined
  readonly fields?: readonly FieldProblem[] | undefined
}

/** An answer that says no, by the class that the contract's table gives it. */
export class ApiError<Class extends ErrorClass = ErrorClass> extends Error {
  override readonly name = 'ApiError'
  readonly class: Class
  readonly status: number
  readonly details: string
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly fields: readonly FieldProblem[]

  constructor(facts: Facts<Class>) {
    super(`${facts.class}: ${facts.details}`)
    this.class = facts.class
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.fields = facts.fields ?? []
  }
}

/** No answer came at all: no network, no such host, a connection that broke off. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** Whether it is an error of the API; of these classes, where some are named. */
export function isApiError<Class extends ErrorClass = ErrorClass>(
  error: unknown,
  ...classes: readonly Class[]
): error is ApiError<Class> {
  if (!(error instanceof ApiError)) return false
  return classes.length === 0 || (classes as readonly ErrorClass[]).includes(error.class)
}
