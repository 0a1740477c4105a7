import type { AccountFence } from './ports.ts'
import type { ResourceObject } from './resource-finder.ts'
import type { ReferencedKind } from './kinds.ts'

/** A resource that an account sees. */
export interface SeenResource {
  readonly kind: ReferencedKind
  readonly object: ResourceObject
  /** Equal while the account reports the same. */
  readonly digest: string
  /** Only servers name it, so that an incomplete scan may know less of it than is stored. */
  readonly isOnlyReferenced: boolean
}

export interface ResourceRecorder {
  /**
   * Writes the resources that changed since the account last saw them. A resource that several
   * accounts see is written by the one that was attached first. After a complete scan, resources
   * that no account sees and no server names are removed.
   */
  record(
    account: { readonly id: string; readonly fence: AccountFence },
    seen: readonly SeenResource[],
    isComplete: boolean,
  ): Promise<void>
}
