import type { Io } from '../cli/io.ts'
import type { Config } from '../config/read-config.ts'

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
}
