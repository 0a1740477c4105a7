import { ConfigError } from '../config/parsers.ts'
import { renderHelp } from '../config/help.ts'
import { readConfig } from '../config/read-config.ts'
import type { Environment } from '../config/variables.ts'
import { didYouMean } from '../domain/nearest.ts'
import { version } from '../version.ts'
import type { Io } from './io.ts'

interface Command {
  /** The arguments after the name. */
  readonly usage: string
  readonly summary: string
  /** Returns the exit status. */
  readonly run: (args: readonly string[], environment: Environment, io: Io) => Promise<number>
}

/** Every command. What a command needs is loaded when it runs. */
const commands: Readonly<Record<string, Command>> = {
  serve: {
    usage: '[OPTIONS]',
    summary: 'Start the server.',
    run: async (args, environment, io) => {
      const request = readConfig(args, environment)
      if (request.kind === 'help') return print(io, renderHelp())
      if (request.kind === 'version') return print(io, `${version}\n`)
      const { serve } = await import('./serve.ts')
      await serve(request.config, () => readConfig(args, environment))
      return 0
    },
  },
  admin: {
    usage: 'COMMAND [ARGUMENTS]',
    summary: 'Administer the data of a server that runs or is stopped.',
    run: async (args, environment, io) => {
      const { runAdmin } = await import('../admin/run-admin.ts')
      return await runAdmin(args, environment, io)
    },
  },
  config: {
    usage: 'check [OPTIONS]',
    summary: 'Print the settings in force, and where each comes from.',
    run: async (args, environment, io) => {
      const { runConfig } = await import('./config-check.ts')
      return runConfig(args, environment, io)
    },
  },
  help: {
    usage: '[COMMAND]',
    summary: 'Print the help of a command.',
    run: async (args, environment, io) =>
      await runCommand(args.length === 0 ? ['--help'] : [...args, '--help'], environment, io),
  },
}

/** Runs the command that the first argument names, and returns the exit status. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  io: Io,
): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined) {
    io.stderr.write(renderUsage())
    return 2
  }
  if (name === '--help' || name === '-h') return print(io, renderUsage())
  if (name === '--version') return print(io, `${version}\n`)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new ConfigError(explainUnknown(name))
  return await command.run(rest, environment, io)
}

/** The rest of the arguments is not repeated, because it may contain a secret. */
function explainUnknown(name: string): string {
  const [flag = ''] = name.split('=', 1)
  if (/^--[a-z][a-z-]{0,40}$/.test(flag)) {
    return `the command is missing before ${flag}. Did you mean "muster serve ${flag}"?`
  }
  if (!/^[a-z][a-z-]{0,20}$/.test(name)) return 'the first argument is not a command (see --help)'
  return `unknown command ${name}${didYouMean(name, Object.keys(commands))} (see --help)`
}

function print(io: Io, text: string): number {
  io.stdout.write(text)
  return 0
}

function renderUsage(): string {
  const list = Object.entries(commands).map(([name, { usage, summary }]) => ({
    start: `${name} ${usage}`,
    summary,
  }))
  const width = Math.max(...list.map(({ start }) => start.length))
  return `Muster: a self-hosted inventory of your virtual machines across clouds and hypervisors.

Usage: muster COMMAND [ARGUMENTS]

Commands:
${list.map(({ start, summary }) => `  ${start.padEnd(width)}  ${summary}`).join('\n')}

Options:
  -h, --help  Print this help, or the help of a command.
  --version   Print the version.

Examples:
  muster serve                   SQLite in ./data, on http://127.0.0.1:8400
  muster serve --demo            a simulated fleet and demo users
  muster help serve              every setting

In the repository, "npm start -- OPTIONS" is "muster serve OPTIONS",
and "npm run muster -- COMMAND" is "muster COMMAND".
`
}
