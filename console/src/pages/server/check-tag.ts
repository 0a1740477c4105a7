import type { maxTagKeyLength, maxTagValueLength, maxTags } from '@muster/contract'
import { prefixes, type Tag } from '../../servers/tags.ts'

/** The contract's bounds; its schemas would come along, so the compiler sees to it that they agree. */
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

/** The key that is meant: `user:` before it goes without saying. */
const bareKey = (key: string): string =>
  key.startsWith(prefixes.own) ? key.slice(prefixes.own.length) : key

function checkKey(key: string, others: readonly string[]): KeyProblem | undefined {
  if (key === '') return 'missing'
  if (control.test(key)) return 'control'
  if (key.startsWith(prefixes.source) || key.startsWith(prefixes.notes)) return 'readOnly'
  if (key.length > bounds.key) return 'tooLong'
  return others.includes(key) ? 'taken' : undefined
}

/** What the API would say against a tag, before it is asked. */
export function checkTag({ key, value }: Tag, others: readonly string[]): TagProblems {
  const problem = checkKey(bareKey(key), others)
  return {
    ...(problem && { key: problem }),
    ...(value.length > bounds.value && { value: 'tooLong' as const }),
  }
}

/** What changes when one tag becomes another; a new name takes the old one away in the same step. */
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
