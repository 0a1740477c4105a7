import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/** About a third of the usual share of a busy core. With less, a scan hardly proceeds on a busy machine. */
const priority = 5

/**
 * While all cores are busy, other threads run before the calling one. Only Linux has a priority for
 * each thread; elsewhere nothing is changed.
 */
export function lowerPriority(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, priority)
  } catch {
    // There is no such folder, or priorities may not be changed: everything still works.
  }
}
