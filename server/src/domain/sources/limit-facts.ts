import type { ReportedFacts, ReportedServer } from './source.ts'

/** What is stored of a server. A source may send texts and lists of any length. */
interface Limits {
  /** Characters of a text. */
  readonly text: number
  /** Entries of a list. */
  readonly list: number
  readonly tags: number
}
const usual: Limits = { text: 4_096, list: 256, tags: 256 }
/** Stricter limits, for a server that is too large although each of its parts is within its limit. */
const tight: Limits = { text: 256, list: 32, tags: 64 }
const longestKey = 256
/** Characters of all texts of a server. */
const largestServer = 2 ** 18
const largestNumber = Number.MAX_SAFE_INTEGER

/** PostgreSQL cannot store NUL. A part of a text would keep all of it in memory, so it is copied. */
function truncate(text: string, maxLength: number): string {
  const own = text.length > maxLength ? Buffer.from(text.slice(0, maxLength)).toString() : text
  return own.replaceAll('\0', '').toWellFormed()
}

export const limitText = (text: string): string => truncate(text, usual.text)

const limitNumber = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), 0), largestNumber) : 0

function limitValue(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return truncate(value, limits.text)
  if (typeof value === 'number') return limitNumber(value)
  if (Array.isArray(value))
    return value.slice(0, limits.list).map((item) => limitValue(item, limits))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, limitValue(inner, limits)]),
    )
  }
  return value
}

const limitTags = (
  tags: Readonly<Record<string, string>>,
  limits: Limits,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags)
      .slice(0, limits.tags)
      .map(([key, text]) => [truncate(key, longestKey), truncate(text, limits.text)] as const)
      .filter(([key]) => key !== ''),
  )

/** How a value compares with the limits. */
interface Measured {
  /** Characters of all texts. */
  size: number
  /** Whether a text or a list is too long. */
  isLong: boolean
  /** Whether a text or a number cannot be stored as it is. */
  isOdd: boolean
}

function measure(value: unknown, to: Measured): void {
  if (typeof value === 'string') {
    to.size += value.length
    if (value.length > usual.text) to.isLong = true
    if (value.includes('\0') || !value.isWellFormed()) to.isOdd = true
  } else if (typeof value === 'number') {
    if (limitNumber(value) !== value) to.isOdd = true
  } else if (Array.isArray(value)) {
    if (value.length > usual.list) to.isLong = true
    for (const item of value) measure(item, to)
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) measure((value as Record<string, unknown>)[key], to)
  }
}

/** A host, a network or the like as it can be stored, and whether something of it was cut. */
export function limitResource<Resource extends object>(
  resource: Resource,
): { readonly resource: Resource; readonly isCut: boolean } {
  const measured = { size: 0, isLong: false, isOdd: false }
  measure(resource, measured)
  return { resource: limitValue(resource, usual) as Resource, isCut: measured.isLong }
}

function measureTags(tags: Readonly<Record<string, string>>, to: Measured): void {
  let count = 0
  for (const key in tags) {
    count += 1
    measure(key, to)
    if (key === '') to.isOdd = true
    if (key.length > longestKey) to.isLong = true
  }
  if (count > usual.tags) to.isLong = true
}

function measureFacts(facts: ReportedFacts): Measured {
  const measured = { size: 0, isLong: false, isOdd: facts.name === '' }
  measure(facts, measured)
  measureTags(facts.tags ?? {}, measured)
  measureTags(facts.notes ?? {}, measured)
  return measured
}

function limitAll(facts: ReportedFacts, limits: Limits): ReportedFacts {
  const { tags = {}, notes = {}, ...rest } = facts
  const limited = limitValue(rest, limits) as typeof rest
  const name = limited.name === '' ? (limited.external_id ?? '') : limited.name
  return { ...limited, name, tags: limitTags(tags, limits), notes: limitTags(notes, limits) }
}

/** Truncates texts, lists and tags that are too long to store. Nearly all facts are returned as they are. */
function limit(facts: ReportedFacts): { readonly facts: ReportedFacts; readonly isCut: boolean } {
  const { size, isLong, isOdd } = measureFacts(facts)
  const isCut = isLong || size > largestServer
  if (!isCut && !isOdd) return { facts, isCut }
  const limited = limitAll(facts, usual)
  const isLarge = isCut && measureFacts(limited).size > largestServer
  return { facts: isLarge ? limitAll(limited, tight) : limited, isCut }
}

export const limitFacts = (facts: ReportedFacts): ReportedFacts => limit(facts).facts

/** A server as it can be stored, and whether something of it was cut. */
export function limitServer(server: ReportedServer): {
  readonly server: ReportedServer
  readonly isCut: boolean
} {
  const { facts, isCut } = limit(server.facts)
  return { server: facts === server.facts ? server : { ...server, facts }, isCut }
}
