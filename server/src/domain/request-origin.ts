/** The address that a request came from, and its id in the log and in audit events. */
export interface RequestOrigin {
  readonly ip: string
  readonly requestId: string
  /** Whether the connection is private: TLS, this machine, or a trusted proxy says so. */
  readonly isConfidential: boolean
  /** The program that acts for the user, for audit events, such as an assistant. Absent for direct requests. */
  readonly through?: string
}
