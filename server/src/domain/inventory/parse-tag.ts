import { badField } from '../error.ts'
import type { Condition } from './condition.ts'

/** `key=value`, or `key` for any value. The value may contain `=`, the key may not. */
export function parseTag(text: string, path: string): Condition {
  const end = text.indexOf('=')
  const key = end === -1 ? text : text.slice(0, end)
  if (key === '') throw badField(path, 'must be key=value, or a key')
  return { kind: 'tag', key, value: end === -1 ? undefined : text.slice(end + 1) }
}
