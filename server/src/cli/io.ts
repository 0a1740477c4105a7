import type { Readable, Writable } from 'node:stream'

/** The standard streams of a command. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}
