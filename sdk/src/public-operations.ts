import type { AnyOperationId, PublicOperationId } from './operations.ts'

/** Those for which nobody logs in; like the routes, the contract's to the letter. */
const publicOperations = {
  issueToken: true,
  showIdentityVersion: true,
  discover: true,
  showHealth: true,
  showReadiness: true,
  showOpenApi: true,
  showReference: true,
  showReferenceScript: true,
  showLoginOptions: true,
  createSession: true,
  startCasLogin: true,
  finishCasLogin: true,
} as const satisfies Record<PublicOperationId, true>

export const isPublic = (id: AnyOperationId): boolean => id in publicOperations
