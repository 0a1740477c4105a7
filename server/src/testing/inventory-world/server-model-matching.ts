import type { Server } from '@muster/contract'
import { serverBooleans, serverNumbers, serverTimestamps } from './server-field-names.ts'
import type { FieldFilter, Operator, Parameter, ServerFilter, Sign, Term } from './server-query.ts'
import {
  compareCodePoints,
  foldText,
  isFoundIn,
  isFoundInId,
  isInNetwork,
  isLike,
  timestampNumber,
} from './server-model-text.ts'

export type Kind = 'flag' | 'moment' | 'number' | 'text'
export type Scalar = string | number | null

export function kindOf(field: string): Kind {
  const among = (names: readonly string[]) => names.includes(field)
  if (among(serverBooleans)) return 'flag'
  if (among(serverTimestamps)) return 'moment'
  return among(serverNumbers) ? 'number' : 'text'
}

/** The value of a field for comparisons: booleans and timestamps as numbers. */
export function scalarOf(server: Server, field: string): Scalar {
  const value = server[field as keyof Server] as Scalar | boolean
  if (value === null) return null
  if (kindOf(field) === 'moment') return timestampNumber(String(value))
  return typeof value === 'boolean' ? Number(value) : value
}

function readValue(field: string, text: string): string | number {
  switch (kindOf(field)) {
    case 'text':
      return text
    case 'flag':
      return text === 'true' || text === '1' ? 1 : 0
    case 'number':
      return Number(text)
    case 'moment':
      return timestampNumber(text)
  }
}

/** Missing values come first. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return typeof a === 'number' ? a - Number(b) : compareCodePoints(a, String(b))
}

/** Enumerated fields, which ignore case. */
const enumerated = new Set(
  [
    'status provider brand hypervisor os_type billing_type cloud_env bios machine vga vdi eip_mode',
    'host_type host_status host_service_status backup_host_status project_src shutdown_behavior',
    'scaling_status',
  ].flatMap((line) => line.split(' ')),
)
const equalities: ReadonlySet<Operator> = new Set(['in', 'notin', 'equals', 'notequals'])

const isEmpty = (value: Scalar) => value === null || value === ''

/** Whether a field matches a filter. A missing value is neither greater nor less than any value. */
function meets(server: Server, { field, operator, values }: FieldFilter): boolean {
  const isCased = !enumerated.has(field) || !equalities.has(operator)
  const asCompared = (scalar: Scalar) =>
    isCased || typeof scalar !== 'string' ? scalar : foldText(scalar)
  const value = asCompared(scalarOf(server, field))
  const wanted = values.map((text) => asCompared(readValue(field, text)) ?? '')
  const [first = '', second = ''] = wanted
  const against = (other: Scalar) => compareScalars(value, other)
  const isThere = value !== null
  const [text, sought] = [foldText(String(value)), foldText(String(first))]
  const tests: Record<Operator, () => boolean> = {
    in: () => isThere && wanted.includes(value),
    notin: () => !isThere || !wanted.includes(value),
    between: () => isThere && against(first) >= 0 && against(second) <= 0,
    ge: () => isThere && against(first) >= 0,
    gt: () => isThere && against(first) > 0,
    le: () => isThere && against(first) <= 0,
    lt: () => isThere && against(first) < 0,
    like: () => isLike(String(value), String(first)),
    contains: () => text.includes(sought),
    startswith: () => text.startsWith(sought),
    endswith: () => text.endsWith(sought),
    equals: () => value === first,
    notequals: () => value !== first,
    isnull: () => !isThere,
    isnotnull: () => isThere,
    isempty: () => value === '',
    isnotempty: () => !isEmpty(value),
    isnullorempty: () => isEmpty(value),
  }
  return tests[operator]()
}

/** Filters by an id or a name. */
const named: Readonly<Record<string, readonly [keyof Server, keyof Server]>> = {
  project: ['project_id', 'project'],
  tenant: ['project_id', 'project'],
  host: ['host_id', 'host'],
  zone: ['zone_id', 'zone'],
  region: ['cloudregion_id', 'region'],
  cloudregion: ['cloudregion_id', 'region'],
  account: ['account_id', 'account'],
  manager: ['manager_id', 'manager'],
  project_domain: ['domain_id', 'project_domain'],
  secgroup: ['secgrp_id', 'secgroup'],
  vpc: ['vpc_id', 'vpc'],
}

function isOneOf(server: Server, name: string, values: readonly string[]): boolean {
  const pair = named[name]
  if (pair) return pair.some((key) => values.includes(server[key] as string))
  return meets(server, { field: name, operator: 'in', values })
}

export function hasTag({ metadata }: Server, tag: string): boolean {
  const [key = '', ...rest] = tag.split('=')
  const isPrefixed = /^(?:user|ext|sys):/.test(key)
  const own = metadata[`user:${key}`]
  const value = isPrefixed ? metadata[key] : (own ?? metadata[`ext:${key}`])
  return value !== undefined && (rest.length === 0 || value === rest.join('='))
}

const hasAddress = ({ nics, eip }: Server, network: string) =>
  [...nics.flatMap(({ ip_addr, ip6_addr }) => [ip_addr, ip6_addr]), eip].some((address) =>
    isInNetwork(address, network),
  )

function isSearched(server: Server, text: string): boolean {
  const { name, id, host, description, external_id, ips, nics, metadata } = server
  const texts = [name, host, description, ...ips.split(','), ...Object.values(metadata)]
  const ids = [id, external_id, ...nics.map(({ mac }) => mac)]
  return (
    texts.some((piece) => isFoundIn(piece, text)) || ids.some((piece) => isFoundInId(piece, text))
  )
}

const signs: Readonly<Record<Exclude<Sign, ':'>, Operator>> = {
  '>=': 'ge',
  '<=': 'le',
  '>': 'gt',
  '<': 'lt',
}

const day = 86_400_000_000
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)

/** In `q`, a date means the whole day. */
function meetsDay(server: Server, name: string, sign: Sign, text: string): boolean {
  const value = scalarOf(server, name)
  const [start, end] = [timestampNumber(text), timestampNumber(text) + day]
  if (typeof value !== 'number') return false
  const tests: Record<Sign, boolean> = {
    ':': value >= start && value < end,
    '>=': value >= start,
    '<': value < start,
    '>': value >= end,
    '<=': value < end,
  }
  return tests[sign]
}

function holds(server: Server, word: Term): boolean {
  switch (word.kind) {
    case 'search':
      return isSearched(server, word.text)
    case 'tag': {
      // A value without a key belongs to the first key.
      const [key, ...value] = word.values[0]?.split('=') ?? []
      const whole = (tag: string) =>
        value.length > 0 && !tag.includes('=') ? `${key}=${tag}` : tag
      return word.values.some((tag) => hasTag(server, whole(tag)))
    }
    case 'ip':
      return word.values.some((network) => hasAddress(server, network))
    case 'network':
      return word.values.some((id) => server.nics.some(({ network_id }) => network_id === id))
    case 'field': {
      const { name, sign } = word
      return word.values.some((text) => {
        if (kindOf(name) === 'moment' && isDay(text)) return meetsDay(server, name, sign, text)
        if (sign === ':') return isOneOf(server, name, [text])
        return meets(server, { field: name, operator: signs[sign], values: [text] })
      })
    }
  }
}

const rangeFilters = {
  created_since: ['created_at', 'ge'],
  created_before: ['created_at', 'lt'],
  updated_since: ['updated_at', 'ge'],
  updated_before: ['updated_at', 'lt'],
} as const

/** Whether a server matches the query. Visibility is not considered here. */
export function isSelected(server: Server, serverFilter: ServerFilter): boolean {
  const { parameters, filters, isAny, terms, search = '', tags, ip } = serverFilter
  const isGiven = ({ name, values }: Parameter) => isOneOf(server, name, values)
  const met = filters.map((filter) => meets(server, filter))
  const isInRange = Object.entries(serverFilter.ranges).every(([name, value]) => {
    const [field, operator] = rangeFilters[name as keyof typeof rangeFilters]
    return meets(server, { field, operator, values: [value] })
  })
  return (
    parameters.every(isGiven) &&
    (isAny && met.length > 0 ? met.some(Boolean) : met.every(Boolean)) &&
    terms.every((word) => holds(server, word) !== word.isNegated) &&
    (search.trim() === '' || isSearched(server, search)) &&
    tags.every((tag) => hasTag(server, tag)) &&
    (ip.length === 0 || ip.some((network) => hasAddress(server, network))) &&
    isInRange
  )
}
