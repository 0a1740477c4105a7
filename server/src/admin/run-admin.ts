import type { Io } from '../cli/io.ts'
import { ConfigError } from '../config/parsers.ts'
import { splitSettings } from '../config/flags.ts'
import { readConfig } from '../config/read-config.ts'
import type { Environment } from '../config/variables.ts'
import { didYouMean } from '../domain/nearest.ts'
import type { AdminCommand } from './command.ts'
import { adminCommands } from './commands.ts'
import { renderAdminHelp, renderCommandHelp } from './help.ts'

/** Runs `muster admin ARGUMENTS` and returns the exit status. */
export async function runAdmin(
  args: readonly string[],
  environment: Environment,
  io: Io,
  commands = adminCommands,
): Promise<number> {
  const found = findCommand(args, commands)
  const asksForHelp = args.includes('--help') || args.includes('-h')
  if (asksForHelp) {
    io.stdout.write(found ? renderCommandHelp(found.command) : renderAdminHelp(commands))
    return 0
  }
  if (!found) throw new ConfigError(explainUnknown(args, commands))
  const { settings, rest } = splitSettings(found.rest)
  const request = readConfig(settings, environment)
  if (request.kind !== 'run') throw new ConfigError('unknown flag --version (see --help)')
  return await found.command.run(rest, request.config, io)
}

function findCommand(args: readonly string[], commands: readonly AdminCommand[]) {
  for (const command of commands) {
    const words = command.name.split(' ')
    if (words.every((word, at) => args[at] === word)) {
      return { command, rest: args.slice(words.length) }
    }
  }
  return undefined
}

/** Repeats only short words, because other arguments may contain a secret. */
function explainUnknown(args: readonly string[], commands: readonly AdminCommand[]): string {
  const words = args.slice(0, 2).filter((word) => /^[a-z][a-z-]{0,20}$/.test(word))
  const names = commands.map(({ name }) => name)
  const hint = words
    .map((_, at) => didYouMean(words.slice(0, at + 1).join(' '), names))
    .find(Boolean)
  if (words[0] === undefined || words[0] !== args[0]) {
    return 'a command is expected after "muster admin" (see muster admin --help)'
  }
  return `unknown command admin ${words[0]}${hint ?? ''} (see muster admin --help)`
}
