import { SourceError } from '../../domain/sources/source-error.ts'
import { freeBuffer } from './free-buffer.ts'
import { longestStart, ResponseTooLarge } from './response-too-large.ts'

/** A JSON object of a source. Its fields may be missing or of any type: read them with the functions below. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxDepth = 64
/** A page of 250 servers of Nova has 40,000 values, and a list of 1,000 instances of Incus 120,000. */
const maxValues = 300_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
/** `[`, `{`, `]` and `}`: bit 5 tells objects from arrays. */
const [opening, closing] = [0x5b, 0x5d]

/** Checked before parsing: a few bytes for each value become a hundred in memory. */
function checkLimits(body: Buffer, failed: string): void {
  const tooLarge = (problem: string) =>
    new ResponseTooLarge(`${failed} ${problem}.`, body.toString('utf8', 0, longestStart))
  let depth = 0
  let values = 0
  let isText = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number
    if (isText) {
      if (byte === backslash) at += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) {
      isText = true
    } else if (byte === comma) {
      values += 1
    } else if ((byte & 0xdf) === opening) {
      values += 1
      depth += 1
      if (depth > maxDepth) throw tooLarge(`is nested more than ${maxDepth} levels deep`)
    } else if ((byte & 0xdf) === closing) {
      depth -= 1
    }
    if (values > maxValues) throw tooLarge(`has more than ${maxValues.toLocaleString('en')} values`)
  }
}

/**
 * Parses a response that must be a JSON object, and frees its memory. The action is what was requested, such as
 * `list servers`.
 */
export function parseJson(body: Buffer, host: string, action = 'complete a request'): Json {
  const failed = `${host} could not ${action}: the response`
  checkLimits(body, failed)
  let value: unknown
  try {
    const text = body.toString('utf8')
    freeBuffer(body)
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isObject(value)) return value
  throw new SourceError('invalid-response', `${failed} is not a JSON object.`)
}

/** The list that a response must have. A missing list is an error: an empty one means that nothing exists. */
export function requireList(json: Json, name: string, what: string): readonly Json[] {
  const list = json[name]
  if (Array.isArray(list) && list.every(isObject)) return list
  throw new SourceError('invalid-response', `The response has no list of ${what}.`)
}

type Field<Value> = (json: Json | undefined, name: string) => Value

/** The text of a field; '' if it has none. */
export const textOf: Field<string> = (json, name) => {
  const value = json?.[name]
  return typeof value === 'string' ? value : ''
}

/** The number of a field, or the number in its text; 0 if it has none. */
export const numberOf: Field<number> = (json, name) => {
  const value = json?.[name]
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : 0
}

export const booleanOf: Field<boolean> = (json, name) => json?.[name] === true

/** The object of a field; an empty one if it has none. */
export const objectOf: Field<Json> = (json, name) => {
  const value = json?.[name]
  return isObject(value) ? value : {}
}

/** The objects in the list of a field. */
export const listOf: Field<readonly Json[]> = (json, name) => {
  const value = json?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}
