import type { Io } from '../cli/io.ts'
import type { Config } from '../config/read-config.ts'
import type { AdminCommand, AdminContext } from './command.ts'
import { runOnServer } from './control-client.ts'
import { openStoppedStorage } from './open-stopped-storage.ts'

interface Definition<Input> extends Omit<AdminCommand, 'run' | 'execute'> {
  /** Checks the arguments and reads files that they name, as the operator's user. Returns plain JSON. */
  readonly parse: (args: readonly string[], config: Config) => Promise<Input> | Input
  /** Whether the input of another process is one that `parse` returns. */
  readonly isInput: (input: unknown) => input is Input
  /** Does the work with the open database, and returns the exit status. */
  readonly execute: (input: Input, context: AdminContext) => Promise<number>
}

/**
 * A command on the database. A running server with SQLite executes it, because it is the only
 * process that may write. Otherwise this process opens the database.
 */
export function databaseCommand<Input>(definition: Definition<Input>): AdminCommand {
  const { parse, isInput, execute, ...description } = definition
  return {
    ...description,
    async execute(input, context) {
      if (!isInput(input)) throw new Error(`the input of ${description.name} is not valid`)
      return await execute(input, context)
    },
    async run(args, config, io) {
      const input = await parse(args, config)
      const request = { command: description.name, input }
      const isSqlite = config.databaseUrl === undefined
      const status = isSqlite ? await runOnServer(config.dataDir, request, io) : undefined
      return status ?? (await executeHere(input, config, io))
    },
  }

  async function executeHere(input: Input, config: Config, io: Io): Promise<number> {
    const storage = await openStoppedStorage(config)
    try {
      return await execute(input, {
        ...storage,
        config,
        clock: Date.now,
        print: (line) => io.stdout.write(`${line}\n`),
        progress: (line) => io.stderr.write(`${line}\n`),
      })
    } finally {
      await storage.database.close()
    }
  }
}
