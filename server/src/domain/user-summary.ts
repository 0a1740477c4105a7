/** A user as errors and audit events name one. */
export interface UserSummary {
  readonly id: string
  readonly name: string
  readonly domainId: string
}
