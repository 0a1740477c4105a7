import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'

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

/** Most errors have the status 400 or 500, so the text tells what it is. The first match applies. */
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
  [401, 'denied'],
  [403, 'denied'],
  [404, 'not-found'],
  [409, 'conflict'],
  [412, 'conflict'],
  [501, 'unsupported'],
])

function kindOf({ status, message }: DaemonError): ActionErrorKind {
  const byText = kindsByText.find(([form]) => form.test(message))?.[1]
  return kindsByStatus.get(status) ?? byText ?? 'failed'
}

const longestText = 500

/** The error of a request that changes an instance. A `SourceError` says that nothing was sent. */
export function convertDaemonError(error: unknown, wasSent: boolean): unknown {
  if (error instanceof DaemonError) {
    const text = error.message.slice(0, longestText)
    return new ActionError(kindOf(error), `The daemon says: ${text}`, { cause: error })
  }
  if (!(error instanceof SourceError)) return error
  if (wasSent) {
    const message = `${error.message} The request may have been carried out.`
    return new ActionError('outcome-unknown', message, { cause: error })
  }
  return error.kind === 'forbidden'
    ? new ActionError('denied', error.message, { cause: error })
    : error
}
