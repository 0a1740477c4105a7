import { errorStatus, type ErrorClass, type FieldProblem } from '@muster/contract'
import type { UserSummary } from './user-summary.ts'

interface Particulars {
  /** Only logged, never answered. */
  readonly cause?: unknown
  readonly fields?: readonly FieldProblem[]
  /** Seconds after which another try makes sense. */
  readonly retryAfter?: number
  /** Whose account a failed login was for, as far as it is known: for the audit, never answered. */
  readonly user?: UserSummary
}

/** The one error of Muster. `details` is written for the caller; `cause` stays in the log. */
export class PlatformError extends Error {
  readonly class: ErrorClass
  readonly fields: readonly FieldProblem[] | undefined
  readonly retryAfter: number | undefined
  readonly user: UserSummary | undefined

  constructor(errorClass: ErrorClass, details: string, particulars: Particulars = {}) {
    super(details, { cause: particulars.cause })
    this.name = 'PlatformError'
    this.class = errorClass
    this.fields = particulars.fields
    this.retryAfter = particulars.retryAfter
    this.user = particulars.user
  }

  get status(): number {
    return errorStatus[this.class]
  }
}

/** A 400 that names one field. */
export const badField = (
  path: string,
  problem: string,
  errorClass: ErrorClass = 'InputParameterError',
) => new PlatformError(errorClass, `${path} ${problem}`, { fields: [{ path, problem }] })

/** Every failed login is this, whatever the reason: no caller learns which part was wrong, only the log. */
export const loginFailed = (reason: string, user?: UserSummary) =>
  new PlatformError('UnauthorizedError', 'Login failed: check the credentials and the scope.', {
    cause: reason,
    ...(user && { user }),
  })
