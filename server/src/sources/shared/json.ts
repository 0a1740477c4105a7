import { SourceError } from '../../domain/sources/source-error.ts'

/** A JSON object of a source. Its fields may be missing or of any type: read them with the functions below. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a response that must be a JSON object. */
export function parseJson(body: Buffer, host: string): Json {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    value = undefined
  }
  if (isObject(value)) return value
  throw new SourceError('invalid-response', `${host} sent a response that is not a JSON object.`)
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
