import type { ReportedFacts } from './source.ts'

/** A source may send texts of any length. These limits apply to what is stored. */
const longestText = 4_096
const longestList = 256
const maxTags = 256
const longestKey = 256
const largestNumber = Number.MAX_SAFE_INTEGER

/** PostgreSQL stores no NUL, and a cut must not leave half a surrogate pair. */
const clean = (text: string, most: number): string =>
  text.slice(0, most).replaceAll('\0', '').toWellFormed()

export const limitText = (text: string): string => clean(text, longestText)

const boundNumber = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), 0), largestNumber) : 0

function bound(value: unknown): unknown {
  if (typeof value === 'string') return limitText(value)
  if (typeof value === 'number') return boundNumber(value)
  if (Array.isArray(value)) return value.slice(0, longestList).map(bound)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bound(inner)]))
  }
  return value
}

const boundTags = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags)
      .slice(0, maxTags)
      .map(([key, text]) => [clean(key, longestKey), limitText(text)] as const)
      .filter(([key]) => key !== ''),
  )

/** Truncates texts, lists and tags that are too long to store. */
export function limitFacts(facts: ReportedFacts): ReportedFacts {
  const { tags = {}, notes = {}, ...rest } = facts
  const bounded = bound(rest) as typeof rest
  const name = bounded.name === '' ? (bounded.external_id ?? '') : bounded.name
  return { ...bounded, name, tags: boundTags(tags), notes: boundTags(notes) }
}
