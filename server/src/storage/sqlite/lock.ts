import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { explainOpening } from './explain-opening.ts'

const busy = 5

/**
 * Locks the data directory for this process. The operating system releases the lock when the
 * process ends, however it ends.
 */
export function lockDirectory(directory: string): DatabaseSync {
  const file = join(directory, 'muster.lock')
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(file, { timeout: 0 })
    connection.exec('begin exclusive')
    return connection
  } catch (cause) {
    connection?.close()
    if (((cause as { errcode?: number }).errcode ?? 0) !== busy) throw explainOpening(cause, file)
    throw new Error(`another Muster process is using the data directory ${directory}`, { cause })
  }
}
