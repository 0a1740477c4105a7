import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import type { HttpResponse } from '../shared/http-client.ts'
import { isObject, textOf, type Json } from '../shared/json.ts'
import { statusError } from '../shared/status-error.ts'
import { notDone, shortText } from '../shared/to-action-error.ts'
import type { ServiceChange } from './service-client.ts'

function bodyOf({ body }: HttpResponse): Json {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** Whether it is the answer of Nova, and not the page of a proxy. */
export const isSuccess = (response: HttpResponse, status: number): boolean =>
  response.status === status && (status !== 200 || 'server' in bodyOf(response))

/** Nova's own sentence, such as `Cannot 'suspend' instance … while it is in vm_state stopped`. */
function sentenceOf(error: Json): string {
  const text = textOf(Object.values(error).find(isObject), 'message')
  const line = shortText(text)
  return line === '' || line.endsWith('.') ? line : `${line}.`
}

/** The first match applies. Nova has no codes for these: only the texts tell them apart. */
const texts: readonly (readonly [statuses: readonly number[], RegExp, ActionErrorKind])[] = [
  [[403, 413], /quota/i, 'quota'],
  [[400], /no valid host/i, 'quota'],
  [[400], /not been resized/i, 'conflict'],
]

const kinds: ReadonlyMap<number, ActionErrorKind> = new Map([
  [403, 'denied'],
  [409, 'conflict'],
  [413, 'quota'],
  [501, 'unsupported'],
])

/** A 404 of a proxy, or one about a volume, does not say that the server is gone. */
const isServerGone = (error: Json, { path }: ServiceChange) =>
  'itemNotFound' in error && /^\/servers\/[^/]+(?:\/action)?$/.test(path)

function kindOf(status: number, error: Json, request: ServiceChange): ActionErrorKind {
  const sentence = sentenceOf(error)
  const told = texts.find(([statuses, text]) => statuses.includes(status) && text.test(sentence))
  if (told) return told[2]
  if (status === 404) return isServerGone(error, request) ? 'not-found' : 'failed'
  // Nova may have failed after it passed the request on. Any other success status comes from a proxy.
  if ((status >= 500 && status !== 501) || status < 400) return 'outcome-unknown'
  return kinds.get(status) ?? 'failed'
}

/** Explains why Nova did not carry out a request. */
export function toActionError(response: HttpResponse, request: ServiceChange): Error {
  const { status } = response
  const { action } = request
  const { kind: reason, message } = statusError(response, { host: 'Nova', action })
  if (reason === 'credentials') return notDone('denied', message)
  if (reason === 'throttled') return notDone('failed', message)
  const error = bodyOf(response)
  const sentence = sentenceOf(error)
  const kind = kindOf(status, error, request)
  const fail = (text: string) => new ActionError(kind, `${text} ${sentence}`.trim())
  if (kind === 'conflict' && /is locked/i.test(sentence)) {
    return new ActionError(
      kind,
      `The server is locked in Nova, so only administrators can ${action}. To unlock it, remove its delete protection, or run openstack server unlock.`,
    )
  }
  // Another request is still under way.
  if (kind === 'conflict' && /in task_state/i.test(sentence)) {
    return notDone(kind, `Nova could not ${action} (status ${status}). ${sentence}`)
  }
  if (kind === 'denied') return fail(`The credentials are not allowed to ${action}.`)
  if (kind === 'quota')
    return fail(`Nova could not ${action}: a quota or its capacity is exceeded.`)
  if (kind === 'outcome-unknown') {
    return fail(`Nova answered the request to ${action} with status ${status}.`)
  }
  return fail(`Nova could not ${action} (status ${status}).`)
}
