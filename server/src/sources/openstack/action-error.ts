import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import type { HttpResponse } from '../shared/http-client.ts'
import { isObject, textOf, type Json } from '../shared/json.ts'
import { statusError } from '../shared/status-error.ts'
import type { ServiceChange } from './service-client.ts'

/** Nova's texts are short. What a proxy sends may not be. */
const longestText = 300

function errorOf({ body }: HttpResponse): Json {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** Nova's own sentence, such as `Cannot 'suspend' instance … while it is in vm_state stopped`. */
function sentenceOf(error: Json): string {
  const text = textOf(Object.values(error).find(isObject), 'message')
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, longestText)
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
  // Nova may have failed after it passed the request on.
  if (status >= 500 && status !== 501) return 'outcome-unknown'
  return kinds.get(status) ?? 'failed'
}

/** Explains why Nova did not carry out a request. */
export function toActionError(response: HttpResponse, request: ServiceChange): Error {
  const { status } = response
  const { action } = request
  // Nova refused a token that Keystone has just issued: nothing was done.
  if (status === 401) return statusError(response, { host: 'Nova', action })
  const error = errorOf(response)
  const sentence = sentenceOf(error)
  const kind = kindOf(status, error, request)
  const fail = (text: string) => new ActionError(kind, `${text} ${sentence}`.trim())
  if (kind === 'conflict' && /is locked/i.test(sentence)) {
    return new ActionError(
      kind,
      `The server is locked in Nova, so only administrators can ${action}. To unlock it, set disable_delete to false, or run openstack server unlock.`,
    )
  }
  if (kind === 'denied') return fail(`The credentials are not allowed to ${action}.`)
  if (kind === 'quota')
    return fail(`Nova could not ${action}: a quota or its capacity is exceeded.`)
  if (kind === 'outcome-unknown') {
    return fail(`Nova failed (status ${status}), and may have begun to ${action}.`)
  }
  return fail(`Nova could not ${action} (status ${status}).`)
}
