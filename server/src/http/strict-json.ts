import { isUtf8 } from 'node:buffer'
import { PlatformError, badField } from '../domain/error.ts'

const deepest = 32
const mostKeys = 1_000
const longestText = 8_192

/**
 * Parses a JSON body that every parser reads in the same way: UTF-8 without a byte order mark, no
 * duplicate keys, no numbers that lose precision, with limits for depth and size.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed('The body is not JSON.', cause)
  }
  inspect(text)
  return value
}

const malformed = (details: string, cause?: unknown) =>
  new PlatformError('InvalidFormatError', details, { cause })

/** Strings, brackets, commas and other values. The text is already known to be JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[\w.+-]+/g

/** An object or list that is not closed yet. */
interface Container {
  /** The keys seen so far; a list has none. */
  readonly keys: Set<string> | undefined
  /** The key or index that the next value belongs to. */
  at: string | number
  expectsKey: boolean
}

const openObject = (): Container => ({ keys: new Set(), at: '', expectsKey: true })
const openList = (): Container => ({ keys: undefined, at: 0, expectsKey: false })

/** Checks the JSON text for problems that are not visible after parsing. */
function inspect(text: string): void {
  const open: Container[] = []
  let keyCount = 0
  const path = () => open.map(({ at }) => at).join('.')

  function enter(container: Container): void {
    if (open.length === deepest) throw malformed(`The body is more than ${deepest} levels deep.`)
    open.push(container)
  }

  function nextMember(): void {
    const container = open.at(-1)
    if (typeof container?.at === 'number') container.at += 1
    else if (container) container.expectsKey = true
  }

  function checkKey(container: Container, key: string): void {
    container.at = key
    container.expectsKey = false
    if (container.keys?.has(key)) throw badField(path(), 'is given twice')
    if (key === '__proto__') throw badField(path(), 'is not a known field')
    container.keys?.add(key)
    keyCount += 1
    if (keyCount > mostKeys) throw malformed(`The body has more than ${mostKeys} keys.`)
  }

  function checkText(quoted: string): void {
    const value = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
    const container = open.at(-1)
    if (container?.expectsKey) checkKey(container, value)
    if (value.length > longestText) {
      throw badField(path(), `is longer than ${longestText} characters`)
    }
    if (value.includes('\0') || !value.isWellFormed()) {
      throw badField(path(), 'contains an invalid character')
    }
  }

  function checkNumber(scalar: string): void {
    if (/^-?\d/.test(scalar) && !isExact(Number(scalar))) {
      throw badField(path(), 'is a number that cannot be stored exactly')
    }
  }

  tokens.lastIndex = 0
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match
    if (token.startsWith('"')) checkText(token)
    else if (token === '{') enter(openObject())
    else if (token === '[') enter(openList())
    else if (token === ',') nextMember()
    else if (token === '}' || token === ']') open.pop()
    else checkNumber(token)
  }
}

/** Whether the number is represented without loss of precision. */
const isExact = (number: number): boolean =>
  Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
