import type { RequiredPermission } from '@muster/contract'
import type { Principal } from './principal.ts'
import type { AuthorizedScope } from './authorized-scope.ts'
import type { Origin } from './records.ts'

/** Who asks for something that needs a right, how far they may go, and from where they ask. */
export interface Caller {
  readonly principal: Principal
  readonly need: RequiredPermission
  readonly authorizedScope: AuthorizedScope
  readonly origin: Origin
  /** Aborted when the connection ends before the response is complete. */
  readonly signal?: AbortSignal
}
