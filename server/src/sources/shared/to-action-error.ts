import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { LostResponse } from './lost-response.ts'

/** Sentences of sources are short. What a proxy sends may not be. */
const longestText = 300

/** The text of a source in one line, for an error. */
export const shortText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().slice(0, longestText)

/** A source refused a request and did nothing: its login has ended, it is busy, or it wants fewer requests. */
export const notDone = (
  kind: 'denied' | 'conflict' | 'failed',
  message: string,
  cause?: unknown,
): ActionError => new ActionError(kind, message, { cause, mayRetry: true })

/** A request was sent and has no usable response. */
export const noUsableAnswer = (source: string, request: string, error: unknown): ActionError => {
  const reason = error instanceof SourceError ? ` ${error.message}` : ''
  const message = `${source} gave no usable answer to ${request}.${reason}`
  return new ActionError('outcome-unknown', message, { cause: error, isAnswer: false })
}

/**
 * Converts the error of a request that changes something. If nothing was sent, it stays a `SourceError`. Without a
 * response that can be interpreted, the request may have been carried out.
 */
export function toActionError(error: unknown, source: string, request: string): Error {
  if (error instanceof ActionError) return error
  if (!(error instanceof SourceError) || error instanceof LostResponse) {
    return noUsableAnswer(source, request, error)
  }
  switch (error.kind) {
    // Without a `LostResponse`, these come before a request is sent.
    case 'not-allowed':
    case 'unreachable':
    case 'timeout':
    case 'tls':
      return error
    case 'credentials':
      return notDone('denied', error.message, error)
    case 'throttled':
      return notDone('failed', error.message, error)
    case 'forbidden':
      return new ActionError('denied', error.message, { cause: error })
    case 'failed':
    case 'invalid-response':
    case 'incomplete':
      return noUsableAnswer(source, request, error)
  }
}

/** Converts a missing permission while the requests of an action are planned. Later attempts would not help. */
export function toPlanError(error: unknown): unknown {
  const isForbidden = error instanceof SourceError && error.kind === 'forbidden'
  return isForbidden ? new ActionError('denied', error.message, { cause: error }) : error
}
