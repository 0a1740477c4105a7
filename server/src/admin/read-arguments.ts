import { parseArgs } from 'node:util'
import { ConfigError } from '../config/parsers.ts'

interface Expected {
  /** The options of a command: with a value, or without. */
  readonly options?: Readonly<Record<string, 'value' | 'flag'>>
  readonly mostWords?: number
}

/** Reads the arguments of a command. Errors name the option, but no values, which may be secret. */
export function readArguments(args: readonly string[], { options = {}, mostWords = 0 }: Expected) {
  const list = Object.entries(options)
  const known = Object.fromEntries(
    list.map(([name, kind]) => [name, { type: kind === 'value' ? 'string' : 'boolean' } as const]),
  )
  const nameOf = (arg: string) => arg.split('=', 1)[0] ?? ''
  const unknown = args
    .map(nameOf)
    .find((arg) => /^-./.test(arg) && !Object.hasOwn(known, arg.slice(2)))
  if (unknown !== undefined) {
    throw new ConfigError(
      `unknown option ${/^--?[a-z-]{1,40}$/.test(unknown) ? unknown : ''} (see --help)`,
    )
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: known,
      allowPositionals: true,
    })
    if (positionals.length > mostWords) throw new ConfigError('too many arguments (see --help)')
    const texts = Object.entries(values).filter(([, value]) => typeof value === 'string')
    return {
      words: positionals,
      values: Object.fromEntries(texts) as Readonly<Record<string, string>>,
      flags: new Set(Object.keys(values).filter((name) => values[name] === true)),
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const wrong = list.find(([name]) => args.some((arg) => nameOf(arg) === `--${name}`))
    const { code } = error as { code?: string }
    throw new ConfigError(
      code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && wrong
        ? `--${wrong[0]} ${wrong[1] === 'value' ? 'needs a value' : 'takes no value'} (see --help)`
        : 'the arguments are not valid (see --help)',
    )
  }
}
