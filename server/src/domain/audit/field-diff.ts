import { isDeepStrictEqual } from 'node:util'
import type { Changes } from './event.ts'

/** What is asked for, without what was left unsaid: leaving out is not setting to nothing. */
export const definedFields = <Wish extends object>(wish: Wish) =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) as Partial<{
    [Key in keyof Wish]: Exclude<Wish[Key], undefined>
  }>

/** Only what would be different, before and after. */
export function diffFields(before: object, wish: object): Changes {
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(wish)
      .filter(([key, value]) => !isDeepStrictEqual(old[key], value))
      .map(([key, value]) => [key, [old[key] ?? null, value] as [unknown, unknown]]),
  )
}

/** A resource that was not there before: all of it is new. */
export const fieldsOfNew = (row: object): Changes =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => key !== 'id' && key !== 'created_at')
      .map(([key, value]) => [key, [null, value] as [unknown, unknown]]),
  )

/** Stands in the log for what must not be there. */
export const redacted: [unknown, unknown] = ['(hidden)', '(hidden)']
