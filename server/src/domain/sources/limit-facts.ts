import type { ReportedFacts } from './source.ts'

/** Limits of what is stored. A source may send texts of any length. */
const longestText = 4_096
const longestList = 256
const maxTags = 256
const longestKey = 256
const largestNumber = Number.MAX_SAFE_INTEGER

/** PostgreSQL cannot store NUL, and truncation can split a surrogate pair. */
const truncate = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replaceAll('\0', '').toWellFormed()

export const limitText = (text: string): string => truncate(text, longestText)

const limitNumber = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), 0), largestNumber) : 0

function limitValue(value: unknown): unknown {
  if (typeof value === 'string') return limitText(value)
  if (typeof value === 'number') return limitNumber(value)
  if (Array.isArray(value)) return value.slice(0, longestList).map(limitValue)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, limitValue(inner)]))
  }
  return value
}

/** Truncates texts that are too long to store. */
export const limitValues = <Values extends object>(values: Values): Values =>
  limitValue(values) as Values

const limitTags = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags)
      .slice(0, maxTags)
      .map(([key, text]) => [truncate(key, longestKey), limitText(text)] as const)
      .filter(([key]) => key !== ''),
  )

/** Whether `limitValue` would return the same. */
function isWithinLimits(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.length <= longestText && !value.includes('\0') && value.isWellFormed()
  }
  if (typeof value === 'number') return limitNumber(value) === value
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.length <= longestList && value.every(isWithinLimits)
  for (const key in value) {
    if (!isWithinLimits((value as Record<string, unknown>)[key])) return false
  }
  return true
}

function areTagsWithinLimits(tags: Readonly<Record<string, string>>): boolean {
  let count = 0
  for (const key in tags) {
    count += 1
    if (key === '' || key.length > longestKey || !isWithinLimits(key)) return false
  }
  return count <= maxTags
}

/** Truncates texts, lists and tags that are too long to store. Nearly all facts are returned as they are. */
export function limitFacts(facts: ReportedFacts): ReportedFacts {
  const isWithin =
    facts.name !== '' &&
    areTagsWithinLimits(facts.tags ?? {}) &&
    areTagsWithinLimits(facts.notes ?? {}) &&
    isWithinLimits(facts)
  if (isWithin) return facts
  const { tags = {}, notes = {}, ...rest } = facts
  const limited = limitValue(rest) as typeof rest
  const name = limited.name === '' ? (limited.external_id ?? '') : limited.name
  return { ...limited, name, tags: limitTags(tags), notes: limitTags(notes) }
}
