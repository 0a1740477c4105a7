import { errorStatus, type ErrorClass, type ErrorValues, type FieldProblem } from '@muster/contract'
import type { UserSummary } from './user-summary.ts'

interface Particulars {
  /** Logged, never part of a response. */
  readonly cause?: unknown
  readonly fields?: readonly FieldProblem[]
  /** What the error is about, for clients with texts of their own. */
  readonly values?: ErrorValues
  /** Seconds after which the client may try again. */
  readonly retryAfter?: number
  /** The user of a failed login, if known: for the audit log, never part of a response. */
  readonly user?: UserSummary
}

/** The one error class of Muster. `details` is public; `cause` is only logged. */
export class PlatformError extends Error {
  readonly class: ErrorClass
  readonly fields: readonly FieldProblem[] | undefined
  readonly values: ErrorValues | undefined
  readonly retryAfter: number | undefined
  readonly user: UserSummary | undefined

  constructor(errorClass: ErrorClass, details: string, particulars: Particulars = {}) {
    super(details, { cause: particulars.cause })
    this.name = 'PlatformError'
    this.class = errorClass
    this.fields = particulars.fields
    this.values = particulars.values
    this.retryAfter = particulars.retryAfter
    this.user = particulars.user
  }

  get status(): number {
    return errorStatus[this.class]
  }
}

/** A later attempt may succeed: the database does not answer, or its disk is full. */
export const isUnavailable = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.class === 'ServiceUnavailable'

/** A 400 about one field. */
export const badField = (
  path: string,
  problem: string,
  errorClass: ErrorClass = 'InputParameterError',
) => new PlatformError(errorClass, `${path} ${problem}`, { fields: [{ path, problem }] })

/** Every failed login gives this error; only the log has the reason. */
export const loginFailed = (reason: string, user?: UserSummary) =>
  new PlatformError('UnauthorizedError', 'Login failed: check the credentials and the scope.', {
    cause: reason,
    ...(user && { user }),
  })
