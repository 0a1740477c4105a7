import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks the data directory for this process. The operating system releases the lock when the
 * process ends, however it ends.
 */
export function lockDirectory(directory: string): DatabaseSync {
  const connection = new DatabaseSync(join(directory, 'muster.lock'), { timeout: 0 })
  try {
    connection.exec('begin exclusive')
  } catch (cause) {
    connection.close()
    throw new Error(`another Muster process is using the data directory ${directory}`, { cause })
  }
  return connection
}
