import type { RequiredPermission } from '@muster/contract'
import type { Principal } from './principal.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { RequestOrigin } from '../request-origin.ts'

/** Who asks for something that needs a right, how far they may go, and from where they ask. */
export interface Caller {
  readonly principal: Principal
  readonly need: RequiredPermission
  readonly authorizedScope: AuthorizedScope
  readonly origin: RequestOrigin
  /** Aborted when the connection ends before the response is complete. */
  readonly signal?: AbortSignal
}
