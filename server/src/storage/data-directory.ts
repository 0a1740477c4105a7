import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const openToOthers = (path: string) => (statSync(path).mode & 0o077) !== 0

/**
 * Makes the data directory, or checks that it is nobody else's to read. One that is still empty is
 * closed; one that already holds data open to others is refused, since it may have been read.
 */
export function prepareDataDirectory(directory: string): void {
  // SQLite makes its files as the mask says.
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
