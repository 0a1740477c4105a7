import type { Environment } from '../config/variables.ts'
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
      const { readConfig } = await import('../config/read-config.ts')
      const request = readConfig(args, environment)
      if (request.kind === 'help') {
        const { renderHelp } = await import('../config/help.ts')
        return print(io, renderHelp())
      }
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
}

const find = (name = ''): Command | undefined =>
  Object.hasOwn(commands, name) ? commands[name] : undefined

/** Runs the command that the first argument names, and returns the exit status. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  io: Io,
): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version') return print(io, `${version}\n`)
  const own = find(name)
  if (own) return await own.run(rest, environment, io)
  const asked = name === 'help' ? find(rest[0]) : undefined
  if (asked) return await asked.run([...rest.slice(1), '--help'], environment, io)
  const { runCli } = await import('@muster/cli')
  const others = Object.entries(commands).map(([key, { usage, summary }]) => ({
    name: key,
    usage,
    summary,
  }))
  return await runCli(args, environment, io, others)
}

function print(io: Io, text: string): number {
  io.stdout.write(text)
  return 0
}
