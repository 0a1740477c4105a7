/** A term of a query as typed; `name` and `sign` if it compares a field. */
export interface Term {
  readonly raw: string
  readonly isNegated: boolean
  readonly name?: string
  readonly sign?: string
  readonly values: readonly string[]
  /** The value is missing: the user is still typing. */
  readonly isUnfinished: boolean
}

const comparison = /^(-?)([a-z_][a-z0-9_]*)(>=|<=|>|<|=|:)/i

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** An IPv6 or MAC address, which contains colons but no field. */
const isAddress = (text: string) => /^-?[0-9a-f.:/]+$/i.test(text) && text.includes(':')

/** A quote opens only at the start of a value: at a word start, or after a sign or comma. */
function beginsQuoted(line: string, at: number, start: number): boolean {
  const isQuote = line[at] === '"' || line[at] === "'"
  return isQuote && (at === start || /[:=<>,-]/.test(line[at - 1] ?? ''))
}

/** Reads a quoted value. The end of the line closes it too. */
function readQuoted(line: string, start: number): { text: string; end: number } {
  const quote = line[start]
  let text = ''
  let at = start + 1
  while (at < line.length) {
    const next = line[at + 1]
    const isEscape = line[at] === '\\' && next !== undefined && /["'\\]/.test(next)
    if (isEscape || (line[at] === quote && next === quote)) {
      text += next
      at += 2
    } else if (line[at] === quote) {
      return { text, end: at + 1 }
    } else {
      text += line[at]
      at += 1
    }
  }
  return { text, end: at }
}

/** Splits at spaces outside quotes. */
function splitWords(line: string): string[] {
  const words: string[] = []
  let at = 0
  while (at < line.length) {
    if (isBlank(line[at])) {
      at += 1
      continue
    }
    const start = at
    while (at < line.length && !isBlank(line[at])) {
      at = beginsQuoted(line, at, start) ? readQuoted(line, at).end : at + 1
    }
    words.push(line.slice(start, at))
  }
  return words
}

/** `a,"b, c"` as its values, without the quotes. */
function splitValues(text: string): string[] {
  const values: string[] = []
  let at = 0
  let value = ''
  while (at < text.length) {
    if (beginsQuoted(text, at, 0)) {
      const quoted = readQuoted(text, at)
      value += quoted.text
      at = quoted.end
    } else if (text[at] === ',') {
      values.push(value)
      value = ''
      at += 1
    } else {
      value += text[at]
      at += 1
    }
  }
  return [...values, value]
}

function readTerm(raw: string): Term {
  const match = isAddress(raw) ? null : comparison.exec(raw)
  if (!match) return { raw, isNegated: /^-./.test(raw), values: [raw], isUnfinished: false }
  const [head, minus, name = '', sign = ''] = match
  const rest = raw.slice(head.length)
  return {
    raw,
    isNegated: minus === '-',
    name,
    sign,
    values: splitValues(rest),
    isUnfinished: rest === '' || rest.endsWith(','),
  }
}

/** Parses a query like the API, but accepts incomplete terms. */
export const readTerms = (q: string): Term[] => splitWords(q).map(readTerm)

/** Quotes a value if necessary. */
export function quoteValue(value: string): string {
  if (value !== '' && value !== '*' && !/[\s,"'\\]/.test(value)) return value
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** In `key=value` of a tag only the value is quoted, unless the key needs quotes. */
function renderValue(name: string, value: string): string {
  const sign = name === 'tag' ? value.indexOf('=') : -1
  const key = value.slice(0, sign)
  if (sign === -1 || quoteValue(key) !== key) return quoteValue(value)
  return `${value.slice(0, sign)}=${quoteValue(value.slice(sign + 1))}`
}

export function renderTerm(
  name: string,
  values: readonly string[],
  isNegated = false,
  sign = ':',
): string {
  const text = values.map((value) => renderValue(name, value)).join(',')
  return `${isNegated ? '-' : ''}${name}${sign}${text}`
}
