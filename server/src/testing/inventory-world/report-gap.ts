import type { TestContext } from 'node:test'

/** `testing/run.ts` counts the diagnostics that begin with it. */
export const gapPrefix = 'Not covered: '

/** Reports that a source or a back end cannot have this test, and why. */
export function reportGap(context: TestContext, reason: string): void {
  context.diagnostic(`${gapPrefix}${context.name}. ${reason}`)
}
