/** What a commit ran into: a constraint of the database, whichever engine said so, or its own condition. */
export class Violation extends Error {
  readonly kind: 'unique' | 'foreign-key' | 'unmet'

  constructor(kind: Violation['kind'], cause?: unknown) {
    super(kind === 'unmet' ? 'a required row is not there' : `violates a ${kind} constraint`, {
      cause,
    })
    this.name = 'Violation'
    this.kind = kind
  }
}
