/** Where a request came from, as the server saw it, and the id that it has in log and audit. */
export interface RequestOrigin {
  readonly ip: string
  readonly requestId: string
  /** Whether nobody on the way could have read it: TLS, this machine, or a trusted proxy says so. */
  readonly isConfidential: boolean
}
