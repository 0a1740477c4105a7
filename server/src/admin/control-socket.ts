import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** The file of the socket. Only the user of the server can connect, by the mode of the directory. */
export const controlSocketFile = (dataDir: string): string => join(dataDir, 'control.sock')

/** What a server and a client send each other, as one line of JSON each. */
export interface ControlRequest {
  readonly command: string
  readonly input: unknown
}
export type ControlMessage =
  | { readonly print: string }
  | { readonly progress: string }
  | { readonly status: number }
  | { readonly error: string; readonly isConfigError: boolean }

/** The smallest limit of the systems that Muster runs on: macOS allows 104 bytes with the final zero. */
const longestPath = 103

/**
 * An address for the socket that the system accepts. On Linux, the directory of a long path is opened
 * and the address names it by its descriptor. `release` closes it once the address is not used.
 */
export function controlSocketAddress(dataDir: string): { address: string; release: () => void } {
  const file = controlSocketFile(dataDir)
  if (Buffer.byteLength(file) <= longestPath) return { address: file, release: () => {} }
  if (process.platform !== 'linux') {
    throw new Error(`the path of ${file} is too long for a socket: use a shorter --data-dir`)
  }
  const directory = openSync(dataDir, 'r')
  return {
    address: `/proc/self/fd/${directory}/control.sock`,
    release: () => closeSync(directory),
  }
}
