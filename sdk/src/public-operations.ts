import type { AnyOperationId, PublicOperationId } from './operations.ts'

/** Operations without authentication. The compiler checks them against the contract. */
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
