import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const openToOthers = (path: string) => (statSync(path).mode & 0o077) !== 0

/**
 * Creates the data directory with access for this user only. An existing one that others can read is
 * restricted while it is empty, and rejected when it has data, which others may have read.
 */
export function prepareDataDirectory(directory: string): void {
  // SQLite creates its files with the permissions of the umask.
  process.umask(0o077)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const files = readdirSync(directory)
  if (openToOthers(directory)) {
    if (files.length > 0)
      throw new Error(`${directory} is accessible to other users: run chmod 700 on it`)
    chmodSync(directory, 0o700)
  }
  const exposed = files.find((file) => openToOthers(join(directory, file)))
  if (exposed !== undefined) {
    throw new Error(`${join(directory, exposed)} is readable by other users: run chmod 600 on it`)
  }
}
