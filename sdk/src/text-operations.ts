import type { AnyOperationId, TextOperationId } from './operations.ts'

/** Operations that return text instead of JSON. The compiler checks them against the contract. */
const textOperations = {
  exportSshConfig: true,
  exportHostsFile: true,
  showMetrics: true,
  showReference: true,
  showReferenceScript: true,
} as const satisfies Record<TextOperationId, true>

/** Whether an operation can return this content type. Exports of lists are CSV or lines of JSON. */
export const canReturn = (id: AnyOperationId, contentType: string): boolean =>
  id in textOperations || contentType.includes('json') || contentType.startsWith('text/csv')
