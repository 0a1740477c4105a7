import type { ApiClient } from '../connection/connect.ts'
import type { Settings } from '../connection/settings.ts'
import type { Description } from '../description/description.ts'
import type { Environment, Io } from '../io.ts'
import type { Output } from '../output/output.ts'
import type { Flag } from './flag.ts'
import type { Arguments } from './parse-flags.ts'

/** One run of a command. */
export interface Run {
  readonly args: Arguments
  readonly io: Io
  readonly environment: Environment
  readonly description: Description
  readonly output: Output
  /** Connects when it is first called. */
  readonly connect: () => Promise<{ readonly client: ApiClient; readonly settings: Settings }>
}

export interface Command {
  /** The words that name it. */
  readonly words: readonly string[]
  readonly summary: string
  /** What follows the words, as `NAME…`. */
  readonly usage: string
  /** What follows `muster`, one line each. */
  readonly examples: readonly string[]
  /** Its own flags, besides those of all commands. */
  readonly flags: readonly Flag[]
  /** More about it, for the help. */
  readonly details?: string
  /** The names of columns, for completion and errors. */
  readonly columns?: readonly string[]
  /** The noun whose items the arguments name, for completion. */
  readonly completes?: string
  /** Returns the exit code. */
  readonly run: (run: Run) => Promise<number>
}
