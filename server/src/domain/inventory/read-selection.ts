import type { ServerStatisticsQuery } from '@muster/contract'
import { badField } from '../error.ts'
import type { Comparison, Condition, Value } from './condition.ts'
import { allOf, anyOf, requireModesty, not, oneOf, type ConditionsOf } from './conditions.ts'
import { fields, isField, type Field } from './fields.ts'
import type { CloudpodsParameters } from './cloudpods-parameters.ts'
import { namedOneOf } from './parameter-conditions.ts'
import { parseFilter } from './parse-filter.ts'
import { parseNetwork } from './parse-network.ts'
import { parseQ } from './parse-q.ts'
import { parseTag } from './parse-tag.ts'
import { parseValue } from './parse-value.ts'
import type { ServerSelection, StateFilter, ScopeParameter } from './server-query.ts'

/** What lists and statistics have in common. */
export type SelectionParameters = Omit<
  ServerStatisticsQuery,
  'group_by' | 'details' | 'limit' | 'offset' | 'summary_stats'
>

function readTimestamp(name: string, field: Field, text: string): Value {
  const parsed = parseValue(field, text)
  if ('wanted' in parsed) throw badField(name, `must be ${parsed.wanted}`)
  return parsed.value
}

/** A parameter that is called like a field, or stands for one. */
function readField(name: string, values: readonly (string | number | boolean)[]): Condition[] {
  if (!isField(name) || name === 'deleted') return []
  if (fields[name] === 'timestamp') {
    return [
      oneOf(
        name,
        values.map((value) => readTimestamp(name, name, String(value))),
      ),
    ]
  }
  return [namedOneOf(name, values.map(String)) ?? oneOf(name, values)]
}

const readFields = (parameters: object): ConditionsOf[] =>
  Object.entries(parameters).flatMap(([name, values]): ConditionsOf[] =>
    Array.isArray(values) ? [[name, readField(name, values as (string | number | boolean)[])]] : [],
  )

const ranges = [
  ['created_since', 'created_at', 'ge'],
  ['created_before', 'created_at', 'lt'],
  ['updated_since', 'updated_at', 'ge'],
  ['updated_before', 'updated_at', 'lt'],
] as const satisfies readonly (readonly [string, Field, Comparison])[]

const readRanges = (parameters: SelectionParameters): ConditionsOf[] =>
  ranges.flatMap(([name, field, comparison]): ConditionsOf[] => {
    const text = parameters[name]
    if (text === undefined) return []
    return [
      [name, [{ kind: 'field', field, comparison, values: [readTimestamp(name, field, text)] }]],
    ]
  })

function readFilters({ filter = [], filter_any = false }: SelectionParameters): Condition[] {
  const conditions = filter.map((text) => parseFilter(text))
  return filter_any && conditions.length > 0 ? [anyOf(conditions)] : conditions
}

const readNetworks = (texts: readonly string[] = [], name = 'ip'): Condition[] =>
  texts.length === 0 ? [] : [anyOf(texts.map((text) => parseNetwork(text, name)))]

type TagSets = NonNullable<SelectionParameters['obj_tags']>

/** One of the sets, each with all of its tags. To Cloudpods an empty value is any. */
const readTagSets = (sets: TagSets): Condition =>
  anyOf(
    sets.map((tags) =>
      allOf(
        tags.map(({ key, value = '' }): Condition => ({
          kind: 'tag',
          key,
          value: value === '' ? undefined : value,
        })),
      ),
    ),
  )

const readTags = ({ tags = [], obj_tags, no_obj_tags }: SelectionParameters): ConditionsOf[] => [
  ['tags', tags.map((tag) => parseTag(tag, 'tags'))],
  ['obj_tags', obj_tags ? [readTagSets(obj_tags)] : []],
  ['no_obj_tags', no_obj_tags ? [not(readTagSets(no_obj_tags))] : []],
]

/** A text of blanks alone is no text. */
const readSearch = ({ search = '' }: SelectionParameters): Condition[] =>
  search.trim() === '' ? [] : [{ kind: 'search', text: search }]

/** A parameter of Muster's own, or what one of Cloudpods' says instead. */
function readSetting(name: string, own: string | undefined, { settings }: CloudpodsParameters) {
  const other = settings.find(({ of }) => of === name)
  if (other && own !== undefined && own !== other.to) {
    throw badField(other.from, `means ${name}=${other.to}, but ${name} is ${own}`)
  }
  return own ?? other?.to
}

function readView(
  { deleted = false, pending_delete }: SelectionParameters,
  words: CloudpodsParameters,
): StateFilter {
  const bin = readSetting('pending_delete', pending_delete, words)
  const isBin = bin !== undefined && bin !== 'false' && bin !== '0'
  if (deleted && isBin) {
    throw badField('deleted', 'cannot be combined with pending_delete')
  }
  if (deleted) return 'deleted'
  if (!isBin) return 'live'
  return bin === 'all' ? 'live-and-recycled' : 'recycled'
}

/** Reads which servers somebody asks for. Everything that is given must hold. */
export function readSelection(
  parameters: SelectionParameters,
  words: CloudpodsParameters,
): ServerSelection {
  const conditions: readonly ConditionsOf[] = [
    ...readFields(parameters),
    ...words.same.map(({ as, from, texts }): ConditionsOf => [
      from,
      as === 'ip' ? readNetworks(texts, from) : readField(as, texts),
    ]),
    ...readRanges(parameters),
    ['filter', readFilters(parameters)],
    ['filter', words.filters.map((text) => parseFilter(text))],
    ['q', parseQ(parameters.q ?? '')],
    ['search', readSearch(parameters)],
    ...readTags(parameters),
    ['ip', readNetworks(parameters.ip)],
  ]
  requireModesty(conditions)
  const where = allOf(conditions.flatMap(([, each]) => each))
  const scope = readSetting('scope', parameters.scope, words) as ScopeParameter | undefined
  return { scope, view: readView(parameters, words), where }
}
