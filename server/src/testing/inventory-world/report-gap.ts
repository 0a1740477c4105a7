import type { TestContext } from 'node:test'

/** What `testing/run.ts` counts and prints at the end of a run. */
const gapPrefix = 'Not covered: '

/** Reports that a source or a back end cannot have this test, and why. */
export function reportGap(context: TestContext, reason: string): void {
  context.diagnostic(`${gapPrefix}${context.name}. ${reason}`)
}
