import type { ErrorBody } from './contract.ts'
import { createApiError, type ApiError, type ErrorClass } from './errors.ts'

/** Error classes by status, for responses without an error body, such as those of a proxy. */
const classOfStatus: Readonly<Record<number, ErrorClass>> = {
  400: 'InputParameterError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  408: 'TimeoutError',
  409: 'ConflictError',
  413: 'TooLargeEntity',
  415: 'UnsupportedMediaTypeError',
  429: 'TooManyRequests',
  421: 'MisdirectedRequestError',
  431: 'HeaderTooLargeError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'TimeoutError',
}

const guessClass = (status: number): ErrorClass =>
  classOfStatus[status] ?? (status < 500 ? 'InputParameterError' : 'InternalServerError')

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null
    const isOurs = typeof body?.class === 'string' && typeof body.details === 'string'
    return isOurs ? (body as ErrorBody) : undefined
  } catch {
    return undefined
  }
}

/** Returns seconds. The header may contain a date instead. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** Builds the error of a failed response. */
export function parseError({ status, headers }: Response, text: string): ApiError {
  const body = parseErrorBody(text)
  return createApiError({
    class: body?.class ?? guessClass(status),
    status,
    details: body?.details ?? describeForeignResponse(status, headers, text),
    requestId: headers.get('x-request-id') ?? body?.request_id,
    retryAfter: readRetryAfter(headers.get('retry-after')),
    fields: body?.fields,
    values: body?.values,
  })
}

function describeForeignResponse(status: number, headers: Headers, text: string): string {
  if (text === '') return `HTTP ${status} without a body.`
  const type = headers.get('content-type') ?? 'unknown type'
  return `HTTP ${status} with ${type}: the response is not from Muster but from a proxy in between.`
}
