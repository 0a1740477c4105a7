import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * While all cores are busy, other threads run before the calling one. Only Linux has a priority for
 * each thread; elsewhere nothing is changed.
 */
export function lowerPriority(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // There is no such folder, or priorities may not be changed: everything still works.
  }
}
