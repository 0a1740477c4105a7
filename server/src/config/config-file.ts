import { parse, TomlError } from 'smol-toml'
import { didYouMean } from '../domain/nearest.ts'
import { printable, spellings } from './spellings.ts'

const keys = new Set(spellings.flatMap(({ key }) => key ?? []))

/** The texts of a configuration file by key, as an operator would write them on the command line. */
export function parseConfigFile(
  content: string,
  inFile: string,
  problems: string[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(parseTable(content, inFile, problems))) {
    const place = printable(key) + inFile
    const text = textOf(value)
    if (!keys.has(key)) problems.push(`unknown key ${place}${didYouMean(key, keys)}`)
    else if (text !== undefined) texts.set(key, text)
    else problems.push(`${place} must be a text, a number, true, false or a list`)
  }
  return texts
}

/** The message of the parser is not used, because it repeats lines of the file. */
function parseTable(content: string, inFile: string, problems: string[]) {
  try {
    return parse(content)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    problems.push(`line ${error.line}${inFile} is not valid TOML`)
    return {}
  }
}

/** Lists become texts with commas. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((item) => (Array.isArray(item) ? undefined : textOf(item)))
    return texts.includes(undefined) ? undefined : texts.join(',')
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}
