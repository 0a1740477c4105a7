import { badField } from '../domain/error.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts certain keys of a body to lower case, so that handlers see one spelling. Two spellings of
 * one key in the same object are an error.
 */
export function lowerCaseKeys(value: unknown, keys: readonly string[], path = ''): unknown {
  if (!isObject(value)) return value
  const folded: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const lower = key.toLowerCase()
    const spelled = lower !== key && keys.includes(lower) ? lower : key
    const at = path === '' ? key : `${path}.${key}`
    if (Object.hasOwn(folded, spelled)) throw badField(at, 'is given twice, in different case')
    folded[spelled] = lowerCaseKeys(value[key], keys, at)
  }
  return folded
}

/** Converts a path in the lower-case body back to the spelling of the caller, for messages. */
export function asSpelled(value: unknown, path: readonly string[]): string[] {
  const [step, ...rest] = path
  if (step === undefined) return []
  if (!isObject(value) || Object.hasOwn(value, step)) {
    return [step, ...asSpelled(isObject(value) ? value[step] : undefined, rest)]
  }
  const spelled = Object.keys(value).find((key) => key.toLowerCase() === step) ?? step
  return [spelled, ...asSpelled(value[spelled], rest)]
}
