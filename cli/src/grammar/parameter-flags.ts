import type { OperationFacts, Parameter } from '../description/description.ts'
import { UsageError } from '../usage-error.ts'
import type { Flag } from './flag.ts'
import type { Arguments } from './parse-flags.ts'

/** Parameters that flags of all commands replace, and those without an effect. */
const covered: ReadonlySet<string> = new Set([
  'format',
  'limit',
  'offset',
  'marker',
  'field',
  'order_by',
  'order',
  'details',
  'sort_key',
  'sort_dir',
  'paging_marker',
  'paging_order',
])

const paging: ReadonlySet<string> = new Set(['limit', 'offset', 'marker'])

const flagName = (name: string): string => name.replaceAll(/[_.]/g, '-')

const placeholders = { text: 'TEXT', number: 'N', boolean: '', object: 'JSON' } as const

/** The first sentence, without the marks of the API reference. */
const firstSentence = (text: string): string =>
  (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).replaceAll('`', '')

/** Whether other flags stand for a parameter. What is no list has no flags for its pages. */
export const isCovered = ({ name }: Parameter, { answer }: OperationFacts): boolean =>
  covered.has(name) && (answer?.kind === 'list' || !paging.has(name))

/** A query parameter, or a field of a body, as a flag. */
export function flagOfParameter(parameter: Parameter): Flag {
  const { name, type, isList, values, description = '' } = parameter
  const choices = values && values.length <= 32 && !values.includes('') ? values : undefined
  return {
    name: flagName(name),
    kind: type === 'boolean' ? 'boolean' : isList && type !== 'object' ? 'values' : 'value',
    placeholder: placeholders[type],
    ...(choices && { choices }),
    help: firstSentence(description),
  }
}

/** Reads a file for `@FILE`, and stdin for `@-`. */
export type ReadSource = (path: string) => Promise<string>

async function readObject(flag: string, text: string, read: ReadSource): Promise<unknown> {
  const json = text.startsWith('@') ? await read(text.slice(1)) : text
  try {
    return JSON.parse(json)
  } catch {
    // The text is not repeated, because it may have secrets.
    throw new UsageError(`--${flag} must be JSON, or @FILE with JSON, or @- for stdin.`)
  }
}

/** The values of parameters as they were typed. Parameters without a flag are absent. */
export async function readParameters(
  args: Arguments,
  parameters: readonly Parameter[],
  read: ReadSource,
): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {}
  for (const { name, type, isList } of parameters) {
    const flag = flagName(name)
    const texts = args.texts(flag)
    if (texts.length === 0) continue
    const last = texts.at(-1) ?? ''
    if (type === 'boolean') result[name] = args.boolean(flag)
    else if (type === 'object') result[name] = await readObject(flag, last, read)
    else {
      const values = texts.map((text) => (type === 'number' ? toNumber(flag, text) : text))
      result[name] = isList ? values : values.at(-1)
    }
  }
  return result
}

function toNumber(flag: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`--${flag} must be a whole number.`)
  return Number(text)
}
