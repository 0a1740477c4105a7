import { parseArgs } from 'node:util'
import { didYouMean } from '../domain/nearest.ts'
import { ConfigError } from './parsers.ts'
import { printable, spellings } from './spellings.ts'

const ownFlags = new Set(['--help', '-h', '--version'])
const settingFlags = new Map(
  spellings.flatMap((spelling) => (spelling.flag ? [[spelling.flag, spelling] as const] : [])),
)
const isFlag = (name: string) => settingFlags.has(name) || ownFlags.has(name)

/** Separates the flags of settings, with their values, from the other arguments of a command. */
export function splitSettings(args: readonly string[]) {
  const split: { settings: string[]; rest: string[] } = { settings: [], rest: [] }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const spelling = settingFlags.get(nameOf(arg))
    if (!spelling) {
      split.rest.push(arg)
      continue
    }
    split.settings.push(arg)
    const value = args[at + 1]
    const takesNext = !spelling.isBoolean && arg === spelling.flag && value !== undefined
    if (takesNext) split.settings.push(args[++at] ?? '')
  }
  return split
}

/** The flags of a command line, without the dashes. */
export function readFlags(
  given: readonly string[],
): Readonly<Record<string, string | boolean | undefined>> {
  const args = given.map(expandBoolean)
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
  for (const flag of settingFlags.keys()) options[flag.slice(2)] = { type: 'string' }
  const repeated = args.find(
    (arg, at) => isFlag(nameOf(arg)) && args.slice(0, at).map(nameOf).includes(nameOf(arg)),
  )
  if (repeated !== undefined) throw new ConfigError(`${nameOf(repeated)} is given more than once`)
  try {
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    throw new ConfigError(explainArguments(args, (error as { code?: string }).code))
  }
}

/** Replaces the messages of Node's parser, which repeat the arguments and could reveal a secret. */
function explainArguments(args: readonly string[], code = ''): string {
  const names = args.map(nameOf)
  switch (code) {
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return `a flag was expected, not ${strayArgument(args)} (see --help)`
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const unknown = printable(names.find((name) => name.startsWith('-') && !isFlag(name)) ?? '')
      return `unknown flag ${unknown}${didYouMean(unknown, settingFlags.keys())} (see --help)`
    }
    default:
      return `${names.find((name, at) => lacksValue(args, name, at)) ?? 'a flag'} needs a value (see --help)`
  }
}

/** A boolean flag without a value means true. All other flags need a value. */
const expandBoolean = (arg: string) =>
  settingFlags.get(arg)?.isBoolean === true ? `${arg}=true` : arg

/** The first argument that belongs to no flag. Hidden unless it is a short word, because it may be a secret. */
function strayArgument(args: readonly string[]): string {
  const stray = args.find((arg, at) => !arg.startsWith('-') && !isFlag(args[at - 1] ?? ''))
  return stray !== undefined && /^[a-z]{1,20}$/.test(stray) ? stray : 'a word'
}

const nameOf = (arg: string): string => arg.split('=', 1)[0] ?? ''
const lacksValue = (args: readonly string[], name: string, at: number) =>
  isFlag(name) && args[at] === name && (args[at + 1] ?? '-').startsWith('-')
