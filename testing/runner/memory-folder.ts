import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 4 * 2 ** 30

/** Programs cannot be run from it, if it is mounted so. */
function canExecute(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '', { mode: 0o755 })
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  } finally {
    rmSync(program)
  }
}

/**
 * A folder for temporary files in the memory, where there is enough of it. Muster waits for the disk
 * after each write, and so would nearly every test.
 */
export function createMemoryFolder(): string | undefined {
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  if (Math.min(bavail * bsize, process.availableMemory() / 2) < neededBytes) return undefined
  let folder: string
  try {
    folder = mkdtempSync(join(memory, 'muster-tests-'))
  } catch {
    // Read-only, or of somebody else.
    return undefined
  }
  if (canExecute(folder)) {
    // As the system's: tests start processes as other users.
    chmodSync(folder, 0o1777)
    return folder
  }
  rmSync(folder, { recursive: true })
  return undefined
}
