import type { RequiredPermission } from '@muster/contract'
import type { Principal } from './principal.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { RequestOrigin } from '../request-origin.ts'

/** The caller of an operation that requires a permission. */
export interface Caller {
  readonly principal: Principal
  readonly need: RequiredPermission
  readonly authorizedScope: AuthorizedScope
  readonly origin: RequestOrigin
  /** Aborted when the connection ends before the response is complete. */
  readonly signal?: AbortSignal
}
