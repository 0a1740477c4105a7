import { filterKeys, type FilterKey } from '../filter/keys.ts'
import { renderTerm } from '../filter/terms.ts'

/** The fields that the menu offers, besides tags. Views can have others. */
export const groupFields = ['project', 'account', 'region', 'os_name'] as const

const tagPrefix = 'metadata.'

/** A tag, as the API groups by it. */
export const groupByTag = (key: string): string => tagPrefix + key

/** The key of the tag that servers are grouped by; undefined for a field. */
export const groupedTag = (groupBy: string): string | undefined =>
  groupBy.startsWith(tagPrefix) ? groupBy.slice(tagPrefix.length) : undefined

/** A query cannot have a key with `=`. */
export const isTagKey = (key: string): boolean => key !== '' && !key.includes('=')

/** The filter key of the values that servers are grouped by. */
export function groupedKey(groupBy: string): string | undefined {
  if (groupedTag(groupBy) !== undefined) return 'tag'
  const keys: readonly FilterKey[] = filterKeys
  return keys.find(({ groups }) => groups === groupBy)?.name
}

/** What servers are grouped by; undefined if they cannot be grouped by it. */
export function readGroupBy(text = ''): string | undefined {
  const tag = groupedTag(text)
  const isKnown = tag === undefined ? groupedKey(text) !== undefined : isTagKey(tag)
  return isKnown ? text : undefined
}

/** The term that only the servers of a group match. Without a value there is none, or no such tag. */
export function groupTerm(groupBy: string, value: string | null): string {
  const key = groupedKey(groupBy) ?? groupBy
  const tag = groupedTag(groupBy)
  // An empty text would also match servers with a name but without an id.
  if (tag === undefined) return value ? renderTerm(key, [value]) : `-${key}:*`
  return value === null ? renderTerm(key, [tag], true) : renderTerm(key, [`${tag}=${value}`])
}
