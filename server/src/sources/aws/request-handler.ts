import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { findExcess } from './check-xml.ts'
import { hasList, listElements } from './list-elements.ts'
import { responseError, UnparsedResponse, type FailedRequest } from './response-error.ts'

/** A request that the SDK has signed. */
interface Signed {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

/** Converts a response that is no success. */
export type ErrorOfResponse = (status: number, body: string, request: FailedRequest) => Error

/**
 * Sends requests for the SDK. The SDK's own handler has no size limit and accepts empty or cut
 * responses as complete.
 */
export function createRequestHandler(client: HttpClient, errorOf: ErrorOfResponse = responseError) {
  return {
    async handle(signed: Signed, { abortSignal }: { abortSignal?: unknown } = {}) {
      const { protocol, hostname: host, port, method, path, headers } = signed
      const form = typeof signed.body === 'string' ? signed.body : ''
      const action = /^Action=(\w+)/.exec(form)?.[1] ?? ''
      const url = new URL(`${protocol}//${host}${port === undefined ? '' : `:${port}`}${path}`)
      const request = { url, method, headers, body: form, call: action }
      const response = await client.send(request, abortSignal as AbortSignal)
      const { status, body } = response
      if (status < 200 || status >= 300) {
        throw errorOf(status, body.toString('utf8', 0, 4_096), { action, host })
      }
      if (!isWhole(body, action)) {
        throw new SourceError('invalid-response', `${host} sent an invalid response to ${action}.`)
      }
      const xml = body.toString('utf8')
      const excess = findExcess(xml)
      if (excess !== undefined) {
        throw new UnparsedResponse(`${host} sent a response to ${action} with ${excess}.`, xml)
      }
      if (!hasList(xml, action)) {
        throw new SourceError(
          'invalid-response',
          `${host} sent an invalid response to ${action}: it has no valid ${listElements[action]}.`,
        )
      }
      return {
        response: {
          statusCode: status,
          headers: response.headers as Record<string, string>,
          body,
        },
      }
    },
  }
}

/** Whether the response begins and ends with the element of this action. */
function isWhole(body: Buffer, action: string): boolean {
  const start = body.toString('latin1', 0, 400)
  const end = body.toString('latin1', Math.max(0, body.length - 200))
  return (
    new RegExp(String.raw`^\s*(?:<\?xml[^>]*\?>\s*)?<${action}Response[\s>]`).test(start) &&
    end.trimEnd().endsWith(`</${action}Response>`)
  )
}
