import type { FileResult } from './run-files.ts'

const cancelled = 'test did not finish before its parent and was cancelled'

/**
 * The failures of a file that its summary lists. After a failed hook, Node.js cancels all tests of the
 * suite. These are left out if another failure says why.
 */
export function failuresToList({ failures }: FileResult): FileResult['failures'] {
  const causes = failures.filter(({ error }) => !error.includes(cancelled))
  return causes.length > 0 ? causes : failures
}
