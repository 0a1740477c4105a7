import { SourceError } from '../../domain/sources/source-error.ts'

/** Bytes of the start of a response. It contains the ids of the first item. */
export const longestStart = 2 ** 14

/** A response that exceeds a limit. A request for fewer items may succeed. */
export class ResponseTooLarge extends SourceError {
  /** How the response begins. */
  readonly start: string

  constructor(message: string, start = '') {
    super('invalid-response', message)
    this.start = start
  }
}
