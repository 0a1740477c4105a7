import { isDeepStrictEqual } from 'node:util'
import type { Changes } from './event.ts'

/** The fields without those that are undefined: leaving out a field does not clear it. */
export const definedFields = <Input extends object>(input: Input) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<{
    [Key in keyof Input]: Exclude<Input[Key], undefined>
  }>

/** The fields that change, with their values before and after. */
export function diffFields(before: object, input: object): Changes {
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(input)
      .filter(([key, value]) => !isDeepStrictEqual(old[key], value))
      .map(([key, value]) => [key, [old[key] ?? null, value] as [unknown, unknown]]),
  )
}

/** The fields of a new resource. */
export const fieldsOfNew = (row: object): Changes =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => key !== 'id' && key !== 'created_at')
      .map(([key, value]) => [key, [null, value] as [unknown, unknown]]),
  )

/** Replaces secrets in the audit log. */
export const redacted: [unknown, unknown] = ['(hidden)', '(hidden)']
