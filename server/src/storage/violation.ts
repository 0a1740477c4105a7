/** What a commit ran into: a constraint of the database, whichever engine said so, or its own condition. */
export class Violation extends Error {
  readonly kind: 'unique' | 'foreign-key' | 'unmet'
  /** Which of its own conditions. */
  readonly reason: string | undefined

  constructor(kind: Violation['kind'], particulars: { reason?: string; cause?: unknown } = {}) {
    const { reason, cause } = particulars
    super(kind === 'unmet' ? 'a required row is not there' : `violates a ${kind} constraint`, {
      cause,
    })
    this.name = 'Violation'
    this.kind = kind
    this.reason = reason
  }
}
