import { SourceError } from './source-error.ts'

/** The abort reason after a timeout. */
class DeadlinePassed extends Error {
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`no response within ${milliseconds} ms`)
    this.milliseconds = milliseconds
  }
}

/** Like `AbortSignal.timeout`, but the reason includes the limit. */
export function deadline(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DeadlinePassed(milliseconds)), milliseconds).unref()
  return controller.signal
}

export const noAnswer = (target: string, milliseconds: number): SourceError =>
  new SourceError('timeout', `${target}: no response within ${milliseconds / 1_000} s.`)

/** The error of a request whose signal was aborted. */
export function abortedError(signal: AbortSignal, target: string): SourceError {
  const reason: unknown = signal.reason
  if (reason instanceof SourceError) return reason
  if (reason instanceof DeadlinePassed) return noAnswer(target, reason.milliseconds)
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  const why = isLate ? 'no response in time' : 'the request was cancelled'
  return new SourceError('timeout', `${target}: ${why}.`)
}
