import type { Readable, Writable } from 'node:stream'

type Terminal = { readonly isTTY?: boolean }

/** Where a command reads and writes, so that tests can replace it. */
export interface Io {
  readonly stdin: Readable & Terminal & { setRawMode?: (isRaw: boolean) => unknown }
  readonly stdout: Writable & Terminal & { readonly columns?: number }
  readonly stderr: Writable & Terminal
}

export type Environment = Readonly<Record<string, string | undefined>>
