/** A commit violated a constraint of the database (on either engine), or one of its own preconditions. */
export class Violation extends Error {
  readonly kind: 'unique' | 'foreign-key' | 'precondition'
  /** Which precondition. */
  readonly reason: string | undefined

  constructor(kind: Violation['kind'], particulars: { reason?: string; cause?: unknown } = {}) {
    const { reason, cause } = particulars
    super(
      kind === 'precondition'
        ? 'a precondition of the commit failed'
        : `violates a ${kind} constraint`,
      {
        cause,
      },
    )
    this.name = 'Violation'
    this.kind = kind
    this.reason = reason
  }
}
