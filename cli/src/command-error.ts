import type { ExitReason } from './exit-codes.ts'

/** A failure that this program found, rather than the API. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly reason: ExitReason

  constructor(reason: ExitReason, message: string) {
    super(message)
    this.reason = reason
  }
}
