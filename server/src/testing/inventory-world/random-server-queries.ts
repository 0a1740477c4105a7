import { callerFields, type Server } from '@muster/contract'
import fc from 'fast-check'
import {
  serverBooleans,
  serverNumbers,
  serverTexts,
  serverTimestamps,
} from './server-field-names.ts'
import { kindOf } from './server-model-matching.ts'
import {
  everything,
  operators,
  type FieldFilter,
  type Operator,
  type Parameter,
  type ServerQuery,
  type ServerFilter,
  type Term,
} from './server-query.ts'
import { sampleTagKeys, sampleTagValues } from './server-samples.ts'

/** The value of a field in a URL. A missing timestamp is replaced by another one. */
const textOf = (server: Server, field: string, absent = '') =>
  String((server[field as keyof Server] as string | number | boolean | null) ?? absent)

const isCallers = (name: string) => (callerFields as readonly string[]).includes(name)
const ofAll = (names: readonly string[]) => names.filter((name) => !isCallers(name))

/** Every field that can be filtered and sorted by; `deleted` is a state, and no filter parameter. */
const flags = ofAll(serverBooleans).filter((name) => name !== 'deleted')
const texts = ofAll(serverTexts)
const allFields = [...flags, ...serverTimestamps, ...serverNumbers, ...texts]
/** Common filters, which have indexes, aliases and special code paths. */
const popular = [
  'name status provider brand hypervisor os_type vcpu_count vmem_size disk created_at updated_at',
  'expired_at is_gpu ips id description external_id project project_id domain_id zone region host',
  'account manager instance_type eip project_domain manager_project cloudregion tenant_id secgroup',
].flatMap((line) => line.split(' '))

const fieldName = fc.oneof(fc.constantFrom(...popular), fc.constantFrom(...allFields))

/** Texts with a special meaning somewhere. */
const oddTexts = [
  '',
  ' ',
  '%',
  '_',
  '%%',
  "'",
  '"',
  '\\',
  '\\%',
  '*',
  'İ',
  'ß',
  '\n',
  '\u0002',
  'ς',
]
const oddNumbers = ['0', '-1', '1', '999999999999999', '-999999999999999']
const oddTimestamps = ['2026-01-02', '2026-01-02 03:04:05', '1970-01-01T00:00:00Z', '2999-12-31']

/** Part of a text, in either case. It never splits a surrogate pair. */
const pieceOf = (whole: string, longest: number) =>
  fc
    .record({
      start: fc.nat({ max: Math.max(0, whole.length - 1) }),
      length: fc.integer({ min: 0, max: longest }),
      to: fc.constantFrom('as is', 'upper', 'lower'),
    })
    .map(({ start, length, to }) => {
      const piece = [...whole].slice(start, start + length).join('')
      if (to === 'as is') return piece
      return to === 'upper' ? piece.toUpperCase() : piece.toLowerCase()
    })

const several = <Value>(value: fc.Arbitrary<Value>, most: number) =>
  fc.array(value, { minLength: 1, maxLength: most })
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 4) =>
  fc.option(value, { nil: undefined, freq })
const none = <Value>() => fc.constant<readonly Value[]>([])
const seldom = <Value>(values: fc.Arbitrary<readonly Value[]>, weight = 1) =>
  fc.oneof({ weight: 5, arbitrary: none<Value>() }, { weight, arbitrary: values })

const textOnly = new Set<Operator>(['like', 'contains', 'startswith', 'endswith'])
const ordering = new Set<Operator>(['between', 'ge', 'gt', 'le', 'lt'])

function operatorsFor(field: string): readonly Operator[] {
  const kind = kindOf(field)
  if (kind === 'text') return operators
  return operators.filter(
    (operator) => !textOnly.has(operator) && !(kind === 'flag' && ordering.has(operator)),
  )
}

/** Random queries for these servers. Most values are theirs, so that most queries find some. */
export function createServerQueries(servers: readonly Server[]) {
  const anyServer = fc.constantFrom(...servers)

  function valueOf(field: string): fc.Arbitrary<string> {
    const own = anyServer.map((server) => textOf(server, field, '2026-01-02'))
    switch (kindOf(field)) {
      case 'flag':
        return fc.constantFrom('true', 'false', '1', '0')
      case 'number':
        return fc.oneof(own, fc.constantFrom(...oddNumbers))
      case 'moment':
        return fc.oneof(own, fc.constantFrom(...oddTimestamps))
      case 'text':
        return fc.oneof(
          { weight: 6, arbitrary: own },
          { weight: 1, arbitrary: own.map((text) => text.toUpperCase()) },
          { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
        )
    }
  }

  /** For the operators that look into a text. */
  const partOf = (field: string) =>
    fc.oneof(
      {
        weight: 5,
        arbitrary: anyServer.chain((server) => pieceOf(textOf(server, field), 8)),
      },
      { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
    )

  const patternOf = (field: string) =>
    fc
      .tuple(fc.constantFrom('', '%', '_'), partOf(field), fc.constantFrom('', '%', '_', '%_'))
      .map((parts) => parts.join(''))

  function valuesFor(field: string, operator: Operator): fc.Arbitrary<string[]> {
    if (operator === 'in' || operator === 'notin') return several(valueOf(field), 3)
    if (operator === 'between') return fc.tuple(valueOf(field), valueOf(field))
    if (operator.startsWith('is')) return fc.constant([])
    if (operator === 'like') return fc.tuple(patternOf(field))
    return fc.tuple(textOnly.has(operator) ? partOf(field) : valueOf(field))
  }

  const filter: fc.Arbitrary<FieldFilter> = fieldName.chain((field) =>
    fc.constantFrom(...operatorsFor(field)).chain((operator) =>
      fc.record({
        field: fc.constant(field),
        operator: fc.constant(operator),
        values: valuesFor(field, operator),
      }),
    ),
  )

  const placeIds: Readonly<Record<string, keyof Server>> = {
    project: 'project_id',
    host: 'host_id',
    zone: 'zone_id',
    region: 'cloudregion_id',
    account: 'account_id',
    manager: 'manager_id',
  }
  /** Refers to a region or zone by name as often as by id. */
  const namedValue = (name: string) => {
    const id = placeIds[name]
    return id === undefined ? valueOf(name) : fc.oneof(valueOf(name), valueOf(id))
  }

  const parameter: fc.Arbitrary<Parameter> = fieldName.chain((name) =>
    fc.record({
      name: fc.constant(name),
      values: several(namedValue(name), 3),
      isNumbered: fc.boolean(),
    }),
  )

  const searched = fc.oneof(
    anyServer.chain(({ name, id, host, description, external_id, ips, nics, metadata }) =>
      fc
        .constantFrom(
          name,
          id,
          host,
          description,
          external_id,
          ips,
          nics[0]?.mac ?? '',
          ...Object.values(metadata),
        )
        .chain((text) => pieceOf(text, 6)),
    ),
    fc.constantFrom(...oddTexts, '-', '.', ':', '-1', ' a', '1\n', '\u0002a', 'a\u0002', 'zz'),
  )

  const tag = fc
    .record({
      prefix: fc.constantFrom('', '', 'user:', 'ext:', 'sys:'),
      key: fc.oneof(fc.constantFrom(...sampleTagKeys), fc.constantFrom('source_status', 'none')),
      value: maybe(fc.oneof(fc.constantFrom(...sampleTagValues), fc.constantFrom('RUNNING', 'no'))),
    })
    .map(({ prefix, key, value }) => prefix + key + (value === undefined ? '' : `=${value}`))

  const addressOf = anyServer.chain(({ nics, eip }) =>
    fc.constantFrom(...nics.flatMap(({ ip_addr, ip6_addr }) => [ip_addr, ip6_addr]), eip),
  )
  const isAddress = (text: string) => /^[\d.]+$|:/.test(text)
  const network = fc.oneof(
    fc
      .tuple(addressOf.filter(isAddress), fc.nat({ max: 128 }), fc.boolean())
      .map(([address, prefix, isWhole]) => {
        // The prefix of an IPv4-mapped IPv6 address counts the mapped bits too.
        const [least, most] = address.includes('.')
          ? [address.includes(':') ? 96 : 0, 32]
          : [0, 128]
        const bits = least + (prefix % (most + 1))
        return isWhole ? address : `${address}/${bits}`
      }),
    fc.constantFrom('10.4.0.0/16', '0.0.0.0/0', '::/0', 'fd00::/8', '10.4.0.0/31', '198.51.100.1'),
  )
  // The model understands plain notation only.
  const plainNetwork = network.filter((text) => !/^::ffff:.*\//i.test(text))

  const comparable = fc.constantFrom('vcpu_count', 'vmem_size', 'disk', 'created_at', 'expired_at')
  const word: fc.Arbitrary<Term> = fc.oneof(
    fc.record({
      isNegated: fc.boolean(),
      kind: fc.constant('search' as const),
      text: searched.filter((text) => text !== ''),
    }),
    fieldName
      .filter((name) => name !== 'deleted')
      .chain((name) =>
        fc.record({
          isNegated: fc.boolean(),
          kind: fc.constant('field' as const),
          name: fc.constant(name),
          sign: fc.constant(':' as const),
          values: several(namedValue(name), 2),
        }),
      ),
    comparable.chain((name) =>
      fc.record({
        isNegated: fc.boolean(),
        kind: fc.constant('field' as const),
        name: fc.constant(name),
        sign: fc.constantFrom('>=' as const, '<=' as const, '>' as const, '<' as const),
        values: fc.tuple(valueOf(name)),
      }),
    ),
    fc.record({
      isNegated: fc.boolean(),
      kind: fc.constant('tag' as const),
      values: several(tag, 2),
    }),
    fc.record({
      isNegated: fc.boolean(),
      kind: fc.constant('ip' as const),
      values: several(plainNetwork, 2),
    }),
    fc.record({
      isNegated: fc.boolean(),
      kind: fc.constant('network' as const),
      values: several(fc.constantFrom('n1', 'n2', 'n3'), 2),
    }),
  )

  const moment = valueOf('created_at')
  const serverFilter: fc.Arbitrary<ServerFilter> = fc.record({
    parameters: seldom(
      fc.uniqueArray(parameter, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
      4,
    ),
    filters: seldom(several(filter, 3), 4),
    isAny: fc.boolean(),
    terms: seldom(several(word, 2), 3),
    search: maybe(searched),
    tags: seldom(several(tag, 2), 2),
    ip: seldom(several(plainNetwork, 2), 2),
    ranges: fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.record({ created_since: moment }) },
      { weight: 1, arbitrary: fc.record({ created_before: moment, updated_since: moment }) },
    ),
    scope: fc.constantFrom(
      undefined,
      undefined,
      'max' as const,
      'system' as const,
      'domain' as const,
      'project' as const,
    ),
    state: fc.constantFrom(
      'live' as const,
      'live' as const,
      'live' as const,
      'recycled' as const,
      'both' as const,
      'deleted' as const,
    ),
  })

  const key = fc.constantFrom(...(Object.keys(servers[0] ?? {}) as (keyof Server)[]))
  const serverQuery: fc.Arbitrary<ServerQuery> = fc
    .record({
      serverFilter,
      orderBy: seldom(fc.uniqueArray(fieldName, { minLength: 1, maxLength: 3 }), 6),
      order: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
      limit: maybe(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constantFrom(2048, 5000)), 2),
      offset: maybe(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(999_999_999_999_999)), 1),
      details: fc.boolean(),
      withMeta: fc.boolean(),
      field: seldom(fc.uniqueArray(key, { minLength: 1, maxLength: 4 })),
    })
    .map(({ serverFilter: chosen, ...rest }) => ({ ...chosen, ...rest }))

  const groups = fc.uniqueArray(
    fc.oneof(
      fieldName,
      fc.constantFrom(...sampleTagKeys).map((name) => `metadata.${name}`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  return { serverQuery, serverFilter, groups, everything: fc.constant(everything) }
}
