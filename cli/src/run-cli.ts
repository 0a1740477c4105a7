import { codeOf } from './exit-codes.ts'
import type { Description } from './description/description.ts'
import { loadDescription } from './description/load-description.ts'
import { globalFlags } from './grammar/flag.ts'
import { loadCommand } from './grammar/load-command.ts'
import { findCommand, moveFlags } from './grammar/find-command.ts'
import type { Command } from './grammar/command.ts'
import { parseFlags } from './grammar/parse-flags.ts'
import type { Environment, Io } from './io.ts'
import { createOutput } from './output/output.ts'
import { ownCommands } from './own-commands.ts'
import { UsageError } from './usage-error.ts'

/** A command of another program in the same file, such as `muster serve`. */
export interface OtherCommand {
  readonly name: string
  readonly usage: string
  readonly summary: string
}

/** Flags before the words are those of all commands. */
function takesValue(text: string): boolean {
  const [flag = ''] = text.split('=', 1)
  const known = globalFlags.find(
    ({ name, short, aliases = [] }) =>
      flag === `-${short ?? ''}` || [name, ...aliases].some((each) => flag === `--${each}`),
  )
  if (known) return known.kind !== 'boolean' && !text.includes('=')
  // The value is not repeated, because it may be a secret.
  if (!/^--[a-z][a-z-]{0,40}$/.test(flag))
    throw new UsageError('The first argument is not a command.')
  throw new UsageError(
    `The command is missing before ${flag}. Did you mean "muster serve ${flag}"?`,
  )
}

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')
}

/** Errors are JSON where the output is. The command line may be wrong, so this looks at the words only. */
const wantsJson = (args: readonly string[]): boolean => {
  const text = ` ${args.join(' ')} `
  return / (?:--json|-f ?json|(?:--format|--output)[= ]json|-o ?json) /.test(text)
}

async function execute(
  command: Command,
  description: Description,
  args: readonly string[],
  environment: Environment,
  io: Io,
): Promise<number> {
  const parsed = parseFlags([...command.flags, ...globalFlags], args)
  const output = createOutput(parsed, io, environment)
  let connection: ReturnType<typeof open> | undefined
  const open = async () => {
    const { connect } = await import('./connection/connect.ts')
    return await connect({ args: parsed, io, environment })
  }
  const connect = () => (connection ??= open())
  return await command.run({ args: parsed, io, environment, description, output, connect })
}

async function dispatch(
  args: readonly string[],
  environment: Environment,
  io: Io,
  others: readonly OtherCommand[],
): Promise<number> {
  const ordered = moveFlags(args, takesValue)
  const [first] = ordered
  const help = async () => await import('./help/help.ts')
  if (first === undefined || first === '--help' || first === '-h') {
    const { renderUsage } = await help()
    const description = await loadDescription()
    const text = renderUsage(description, ownCommands, others)
    if (first !== undefined) return print(io, text)
    io.stderr.write(text)
    return codeOf('usage')
  }
  const description = await loadDescription()
  const words = first === 'help' ? ordered.slice(1) : ordered
  if (first === 'help') {
    const { renderTopic, renderUsage } = await help()
    const topic = renderTopic(words[0] ?? '')
    if (topic !== undefined) return print(io, topic)
    if (words.length === 0) return print(io, renderUsage(description, ownCommands, others))
  }
  const found = findCommand(
    description,
    ownCommands,
    words,
    others.map(({ name }) => name),
  )
  const command = await loadCommand(description, ownCommands, found)
  if (!command) {
    const { renderNoun } = await help()
    if (!found.noun) throw new UsageError('The command is incomplete.')
    const text = renderNoun(found.noun, description, ownCommands)
    if (first === 'help' || asksForHelp(ordered)) return print(io, text)
    io.stderr.write(text)
    return codeOf('usage')
  }
  if (first === 'help' || asksForHelp(found.rest)) {
    const { renderCommand } = await help()
    return print(io, renderCommand(command))
  }
  return await execute(command, description, found.rest, environment, io)
}

function print(io: Io, text: string): number {
  io.stdout.write(text)
  return 0
}

/** Runs a command of the command line, and returns the exit code. */
export async function runCli(
  args: readonly string[],
  environment: Environment,
  io: Io,
  others: readonly OtherCommand[] = [],
): Promise<number> {
  const interrupt = () => process.exit(codeOf('interrupted'))
  process.once('SIGINT', interrupt)
  try {
    return await dispatch(args, environment, io, others)
  } catch (error) {
    const { explainError } = await import('./explain-error.ts')
    const { text, code } = explainError(error, wantsJson(args))
    io.stderr.write(text)
    return code
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
}
