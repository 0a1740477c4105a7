/** What kind of trouble a source is. */
export type SourceErrorKind =
  /** Its address is not one that Muster may speak to. */
  | 'not-allowed'
  | 'unreachable'
  | 'timeout'
  /** Its certificate, or ours, is not accepted. */
  | 'tls'
  /** It does not let us in. */
  | 'credentials'
  /** It lets us in, but not that far. */
  | 'forbidden'
  /** It asks us to slow down. */
  | 'throttled'
  /** It says that it failed. */
  | 'failed'
  /** It says something that makes no sense. */
  | 'invalid-response'
  /** It does not say all of it. */
  | 'incomplete'

/** Trouble with a source, told so that an operator knows what to do. Never holds a secret. */
export class SourceError extends Error {
  readonly kind: SourceErrorKind

  constructor(kind: SourceErrorKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'SourceError'
    this.kind = kind
  }
}
