export type SourceErrorKind =
  /** Muster is not allowed to connect to the address. */
  | 'not-allowed'
  | 'unreachable'
  | 'timeout'
  /** TLS failure: one side does not accept the certificate of the other. */
  | 'tls'
  /** Authentication failed. */
  | 'credentials'
  /** Permission denied. */
  | 'forbidden'
  /** Rate limited. */
  | 'throttled'
  /** The source reports an internal error. */
  | 'failed'
  /** The response cannot be interpreted. */
  | 'invalid-response'
  /** A part of the response is missing. */
  | 'incomplete'

/** An error of a source. Its message tells an operator what to do and never contains a secret. */
export class SourceError extends Error {
  readonly kind: SourceErrorKind
  /** The request that failed, such as `DescribeInstances`; '' if it is not known. */
  call = ''

  constructor(kind: SourceErrorKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'SourceError'
    this.kind = kind
  }
}

/** The source does not return the server, and cannot tell whether it is gone. */
export class UnconfirmedAbsence extends SourceError {
  constructor(message: string) {
    super('incomplete', message)
    this.name = 'UnconfirmedAbsence'
  }
}
