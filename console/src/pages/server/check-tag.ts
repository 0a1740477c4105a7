import type { maxTagKeyLength, maxTagValueLength, maxTags } from '@muster/contract'
import { prefixes, type Tag } from '../../servers/tags.ts'

/** The contract's limits, copied so that its schemas stay out of the bundle. The types make the compiler compare them. */
export const bounds: {
  readonly key: typeof maxTagKeyLength
  readonly value: typeof maxTagValueLength
  readonly tags: typeof maxTags
} = { key: 128, value: 1024, tags: 64 }

export type KeyProblem = 'missing' | 'control' | 'readOnly' | 'tooLong' | 'taken'

interface TagProblems {
  readonly key?: KeyProblem
  readonly value?: 'tooLong'
}

const control = /\p{Cc}/u

/** The key without the optional prefix `user:`. */
const bareKey = (key: string): string =>
  key.startsWith(prefixes.own) ? key.slice(prefixes.own.length) : key

function checkKey(key: string, others: readonly string[]): KeyProblem | undefined {
  if (key === '') return 'missing'
  if (control.test(key)) return 'control'
  if (key.startsWith(prefixes.source) || key.startsWith(prefixes.notes)) return 'readOnly'
  if (key.length > bounds.key) return 'tooLong'
  return others.includes(key) ? 'taken' : undefined
}

/** Checks a tag by the API's rules. */
export function checkTag({ key, value }: Tag, others: readonly string[]): TagProblems {
  const problem = checkKey(bareKey(key), others)
  return {
    ...(problem && { key: problem }),
    ...(value.length > bounds.value && { value: 'tooLong' as const }),
  }
}

/** The metadata changes that replace one tag with another. A renamed tag deletes the old key. */
export function changeOf(
  before: Tag | undefined,
  { key, value }: Tag,
): Record<string, string | null> {
  const after = bareKey(key)
  return {
    ...(before && before.key !== after && { [prefixes.own + before.key]: null }),
    [prefixes.own + after]: value,
  }
}
