import { identityOperations } from './identity.ts'
import type { Operation } from './operation.ts'
import { serviceOperations } from './service.ts'

export * from './errors.ts'
export * from './identity.ts'
export * from './openapi.ts'
export * from './operation.ts'
export * from './server.ts'

/** Every operation that Muster serves, and no other. */
export const operations = [
  ...identityOperations,
  ...serviceOperations,
] as const satisfies readonly Operation[]

export type OperationId = (typeof operations)[number]['id']
