import type { Server } from '@muster/contract'
import { isCheckChange } from './check-changes.ts'
import { undoDiff, type ServerDiff } from './server-diff.ts'

/** What is stored of a change to find the version before it. */
export interface UndoRecord {
  /** Whether there was no version before it. */
  readonly isFirst: boolean
  /** The whole version before it, for a server that is gone. */
  readonly formerVersion?: Server
  readonly formerUpdatedAt: string
  readonly diff: ServerDiff
}

/** The version before a change; undefined if the server did not exist. */
function undoChange(after: Server | undefined, change: UndoRecord): Server | undefined {
  if (isCheckChange(change.diff)) return after
  if (change.isFirst) return undefined
  if (change.formerVersion) return change.formerVersion
  // The rows of a server that was deleted before changes were recorded are purged without a last version.
  if (!after) return undefined
  return undoDiff(after, change.diff, change.formerUpdatedAt)
}

/** The version before all of these changes, the newest of which comes first. */
export const undoChanges = (
  current: Server | undefined,
  changes: readonly UndoRecord[],
): Server | undefined => changes.reduce(undoChange, current)
