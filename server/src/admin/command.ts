import type { Io } from '../cli/io.ts'
import type { Config } from '../config/read-config.ts'
import type { Clock } from '../domain/clock.ts'
import type { Database } from '../storage/database.ts'
import type { SecretKey } from '../vault/secret-key.ts'

/** A command of `muster admin`. */
export interface AdminCommand {
  /** One or two words, such as `backup` or `demo remove`. */
  readonly name: string
  readonly summary: string
  /** The arguments after the name, such as `FILE [--dry-run]`. Settings are added by the help. */
  readonly usage: string
  /** Arguments with a text after three spaces, such as `backup /backup/muster.db   a copy`. */
  readonly examples: readonly string[]
  /**
   * Gets the arguments after the name, without those that are settings, and returns the exit status.
   * Throws a `ConfigError` for wrong arguments.
   */
  readonly run: (args: readonly string[], config: Config, io: Io) => Promise<number>
  /** For commands that a running server executes. The input comes from `parse` in another process. */
  readonly execute?: (input: unknown, context: AdminContext) => Promise<number>
}

/** What a command works on: the storage of this process, or that of the running server. */
export interface AdminContext {
  readonly config: Config
  readonly database: Database
  readonly key: SecretKey
  readonly clock: Clock
  /** Writes a line to the standard output of the operator's terminal. */
  readonly print: (line: string) => void
  /** Writes a line to the standard error of the operator's terminal. */
  readonly progress: (line: string) => void
}
