import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** A small write may still fit into the write-ahead log when no other one does. */
const minSpace = 2 ** 20

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

export const isDiskFull = (directory: string): boolean => freeBytes(directory) < minSpace

export const diskFull = (directory: string, cause?: unknown) =>
  new Error(`--data-dir: the disk of ${directory} is full: free at least 1 MiB`, { cause })

/**
 * Replaces an error of opening a file: SQLite reports a full disk as an error of the disk, and does not
 * say what it has no permission for.
 */
export function explainOpening(error: unknown, file: string): unknown {
  const directory = dirname(file)
  const isOfDisk = (error as Error).message.includes('disk')
  if (isOfDisk && isDiskFull(directory)) return diskFull(directory, error)
  try {
    for (const path of [directory, file].filter((one) => existsSync(one))) {
      accessSync(path, constants.R_OK | constants.W_OK)
    }
    return error
  } catch (reason) {
    return reason
  }
}
