import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import type { HttpResponse } from './http-client.ts'

/** An error that a retry may solve. */
export class TransientError extends SourceError {
  /** Milliseconds after which the source accepts requests again; 0 if it does not say. */
  readonly retryAfter: number

  constructor(kind: SourceErrorKind, message: string, retryAfter = 0) {
    super(kind, message)
    this.retryAfter = retryAfter
  }
}

/** The source itself says so, not a proxy. */
export class NotFound extends SourceError {}

interface FailedRequest {
  /** The host, or another name of the source. */
  readonly host: string
  /** What was requested, such as `list servers`. */
  readonly action: string
}

const isOverloaded = (status: number) => status === 429 || status === 503

function kindOf(status: number): SourceErrorKind {
  if (status === 401) return 'credentials'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  if (status >= 400) return 'failed'
  return 'invalid-response'
}

function explain(status: number, kind: SourceErrorKind, { host, action }: FailedRequest): string {
  if (kind === 'credentials') return `${host} does not accept the credentials`
  if (kind === 'forbidden') return `The credentials are not allowed to ${action} at ${host}`
  if (kind === 'throttled') return `${host} asks for fewer requests`
  if (status >= 300 && status < 400) {
    return `${host} could not ${action}: it redirects to another address, which Muster does not follow. Check the address`
  }
  return `${host} could not ${action}`
}

/** The seconds of a Retry-After header, in milliseconds. Dates are ignored: clocks differ. */
function retryAfterOf({ headers }: HttpResponse): number {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0
}

/** Converts a response that is no success. Its text is not shown: it may contain what was sent. */
export function statusError(response: HttpResponse, request: FailedRequest): SourceError {
  const { status } = response
  const kind = kindOf(status)
  const message = `${explain(status, kind, request)} (status ${status}).`
  if (!isOverloaded(status) && status < 500) return new SourceError(kind, message)
  return new TransientError(kind, message, retryAfterOf(response))
}
