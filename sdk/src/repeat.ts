import type { AnyOperationId } from './operations.ts'
import type { Retry } from './retry.ts'
import type { AnyInput } from './send.ts'

interface Prepared {
  readonly input: AnyInput
  /** Whether the call may be sent more than once. */
  readonly isRepeatable: boolean
}

/** How a client repeats requests. */
export interface Repetition {
  readonly retry: Retry
  readonly isTransient: (error: unknown) => boolean
  readonly prepare: (id: AnyOperationId, input: AnyInput) => Prepared
}

/** Repeats nothing. It is apart from the retries, so that pages need not load them. */
export const sendOnce: Repetition = {
  retry: async (attempt) => await attempt(),
  isTransient: () => false,
  prepare: (_, input) => ({ input, isRepeatable: false }),
}
