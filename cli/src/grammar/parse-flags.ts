import { parseArgs } from 'node:util'
import { UsageError } from '../usage-error.ts'
import type { Flag } from './flag.ts'
import { didYouMean } from './nearest-word.ts'

/** What was typed after the words of a command. */
export class Arguments {
  readonly #values: ReadonlyMap<string, readonly (string | boolean)[]>
  readonly positionals: readonly string[]

  constructor(
    values: ReadonlyMap<string, readonly (string | boolean)[]>,
    positionals: readonly string[],
  ) {
    this.#values = values
    this.positionals = positionals
  }

  withPositionals(positionals: readonly string[]): Arguments {
    return new Arguments(this.#values, positionals)
  }

  text(name: string): string | undefined {
    return this.texts(name).at(-1)
  }

  texts(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).map(String)
  }

  isSet(name: string): boolean {
    return this.#values.get(name)?.at(-1) === true
  }

  /** True, false, or undefined if the flag is absent. */
  boolean(name: string): boolean | undefined {
    const value = this.#values.get(name)?.at(-1)
    return typeof value === 'boolean' ? value : undefined
  }

  /** A whole number that is not negative. */
  number(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number.`)
    return Number(text)
  }
}

const dashed = (name: string): string => name.replaceAll('_', '-')

/**
 * `--project_id` is `--project-id`, booleans take a value (`--enabled=false`, `--enabled false`), and times
 * ago are values (`--as-of -2h`).
 */
function normalise(args: readonly string[], booleans: ReadonlySet<string>): string[] {
  const result: string[] = []
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    if (argument === '--') return [...result, ...args.slice(index)]
    const [, typed, given] = /^--([A-Za-z][\w.-]*)(?:=([^]*))?$/.exec(argument) ?? []
    if (typed === undefined) {
      result.push(argument)
      continue
    }
    const name = dashed(typed)
    const next = args[index + 1]
    if (!booleans.has(name)) {
      const isAgo = given === undefined && /^-\d/.test(next ?? '')
      if (isAgo) index += 1
      const value = isAgo ? next : given
      result.push(value === undefined ? `--${name}` : `--${name}=${value}`)
    } else if (given === undefined && (next === 'true' || next === 'false')) {
      result.push(next === 'true' ? `--${name}` : `--no-${name}`)
      index += 1
    } else if (given === undefined) result.push(`--${name}`)
    else if (given === 'true' || given === 'false') {
      result.push(given === 'true' ? `--${name}` : `--no-${name}`)
    } else throw new UsageError(`--${name} is true or false.`)
  }
  return result
}

/** Reads the flags of a command. Positional arguments may stand between them. */
export function parseFlags(flags: readonly Flag[], args: readonly string[]): Arguments {
  const byName = new Map(
    flags.flatMap((flag) =>
      [flag.name, ...(flag.aliases ?? [])].map((name) => [name, flag] as const),
    ),
  )
  const names = [...byName.keys()]
  const isBoolean = (name: string) => byName.get(name)?.kind === 'boolean'
  const options = Object.fromEntries(
    [...byName].map(([name, { kind, short, name: own }]) => [
      name,
      {
        type: kind === 'boolean' ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(short !== undefined && name === own && { short }),
      },
    ]),
  )
  const { tokens } = parse(normalise(args, new Set(names.filter(isBoolean))), options, names)
  const values = new Map<string, (string | boolean)[]>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    // `--no-color` is a flag of its own, `--no-enabled` is the opposite of one.
    const raw = token.rawName.replace(/^--/, '')
    const typed = byName.has(raw) ? raw : token.name
    const flag = byName.get(typed) ?? byName.get(typed.replace(/^no-/, ''))
    if (!flag) throw new UsageError(unknownFlag(token.rawName, names))
    const value = token.value ?? (raw === typed || !raw.startsWith('no-'))
    if (flag.choices && typeof value === 'string' && !flag.choices.includes(value)) {
      const hint = didYouMean(value, flag.choices)
      throw new UsageError(`--${flag.name} is one of ${flag.choices.join(', ')}.${hint}`)
    }
    values.set(flag.name, [...(values.get(flag.name) ?? []), value])
  }
  return new Arguments(values, positionals)
}

const unknownFlag = (raw: string, names: readonly string[]): string => {
  const word = raw.replace(/^-+/, '')
  const hint = didYouMean(word, names)
  return `There is no flag ${raw}.${hint.replace('"', '"--')}`
}

function parse(
  args: string[],
  options: Record<string, { type: 'boolean' | 'string'; multiple: boolean; short?: string }>,
  names: readonly string[],
) {
  try {
    return parseArgs({ args, options, tokens: true, allowPositionals: true, allowNegative: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      // The value is not repeated, because it may be a secret.
      const [, raw = ''] = /'(--?[^'=\s]+)/.exec(message) ?? []
      throw new UsageError(unknownFlag(raw, names))
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
      const [, raw = 'A flag'] = /'(?:-\w, )?(--[\w-]+)/.exec(message) ?? []
      throw new UsageError(
        `${raw} needs a value. A value that starts with "-" needs "=" before it.`,
      )
    }
    throw error
  }
}
