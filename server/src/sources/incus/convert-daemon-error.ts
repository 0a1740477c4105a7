import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { notDone, noUsableAnswer, shortText } from '../shared/to-action-error.ts'

/** The daemon refused or failed a request that changes an instance. */
export class DaemonError extends Error {
  /** Of the response; 400 for an operation that failed. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'DaemonError'
    this.status = status
  }
}

/**
 * Most errors have the status 400 or 500, so they are distinguished by their text. The first match applies.
 */
const kindsByText: readonly (readonly [RegExp, ActionErrorKind])[] = [
  [/permission|restricted|not authorized/i, 'denied'],
  [/reached maximum|no space left|cannot allocate memory|not enough/i, 'quota'],
  [/instance not found|no such object/i, 'not-found'],
  [
    /already (?:running|stopped|frozen|in use|exists)|isn't running|is (?:running|busy|protected)|not allowed|when VM is running/i,
    'conflict',
  ],
  [/not supported|unsupported|not implemented|invalid/i, 'unsupported'],
]

const kindsByStatus: ReadonlyMap<number, ActionErrorKind> = new Map([
  [403, 'denied'],
  [404, 'not-found'],
  [409, 'conflict'],
  [412, 'conflict'],
  [501, 'unsupported'],
])

/** The login has ended, or the daemon wants fewer requests. */
export const isNotDone = (status: number): boolean => status === 401 || status === 429

/** Another operation of the instance is still under way, such as the end of a stop. */
const busy = /is busy|busy running/i

function kindOf({ status, message }: DaemonError): ActionErrorKind {
  const byText = kindsByText.find(([form]) => form.test(message))?.[1]
  const otherwise = status >= 500 ? 'outcome-unknown' : 'failed'
  return kindsByStatus.get(status) ?? byText ?? otherwise
}

/** The error of a request that was sent and that changes an instance. */
export function toSentError(error: unknown, request: string): ActionError {
  if (!(error instanceof DaemonError)) return noUsableAnswer('The daemon', request, error)
  const { status, message } = error
  const text = `The daemon answered ${request} with: ${shortText(message)}`
  if (isNotDone(status)) return notDone(status === 401 ? 'denied' : 'failed', text, error)
  if (busy.test(message)) return notDone('conflict', text, error)
  return new ActionError(kindOf(error), text, { cause: error })
}
