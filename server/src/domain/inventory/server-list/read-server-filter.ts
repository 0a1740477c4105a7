import type { ServerStatisticsQuery, ScopeParameter } from '@muster/contract'
import { badField } from '../../error.ts'
import type { Comparison } from '../../query/condition.ts'
import { allOf, anyOf, not, type ConditionsOf as ConditionsOfAny } from '../../query/conditions.ts'
import { parseFilter } from '../../query/parse-filter.ts'
import {
  joinConditions,
  readConditions,
  readField,
  readTimestamp,
} from '../../query/read-list-query.ts'
import type { CloudpodsParameters } from '../cloudpods-parameters.ts'
import type { Condition, ServerCondition, Field } from '../condition.ts'
import { serverFields } from '../fields.ts'
import { parseNetwork } from '../parse-network.ts'
import { parseTag } from '../parse-tag.ts'
import type { ServerFilter, StateFilter } from './server-query.ts'

type ConditionsOf = ConditionsOfAny<Field, ServerCondition>

/** What lists and statistics have in common. */
export type FilterParameters = Omit<
  ServerStatisticsQuery,
  'group_by' | 'details' | 'limit' | 'offset' | 'summary_stats'
>

const ranges = [
  ['created_since', 'created_at', 'ge'],
  ['created_before', 'created_at', 'lt'],
  ['updated_since', 'updated_at', 'ge'],
  ['updated_before', 'updated_at', 'lt'],
] as const satisfies readonly (readonly [string, Field, Comparison])[]

const readRanges = (parameters: FilterParameters): ConditionsOf[] =>
  ranges.flatMap(([name, field, comparison]): ConditionsOf[] => {
    const text = parameters[name]
    if (text === undefined) return []
    return [[name, [{ kind: 'field', field, comparison, values: [readTimestamp(name, text)] }]]]
  })

const readNetworks = (texts: readonly string[] = [], name = 'ip'): Condition[] =>
  texts.length === 0 ? [] : [anyOf(texts.map((text) => parseNetwork(text, name)))]

const readAttachedNetworks = (ids: readonly string[] = []): Condition[] =>
  ids.length === 0 ? [] : [anyOf(ids.map((id): Condition => ({ kind: 'network', id })))]

type TagSets = NonNullable<FilterParameters['obj_tags']>

/** One of the sets must match with all its tags. In Cloudpods, an empty value matches any value. */
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

const readTags = ({ tags = [], obj_tags, no_obj_tags }: FilterParameters): ConditionsOf[] => [
  ['tags', tags.map((tag) => parseTag(tag, 'tags'))],
  ['obj_tags', obj_tags ? [readTagSets(obj_tags)] : []],
  ['no_obj_tags', no_obj_tags ? [not(readTagSets(no_obj_tags))] : []],
]

/** The value of a parameter, or of the Cloudpods parameter that replaces it. */
function readSetting(name: string, own: string | undefined, { settings }: CloudpodsParameters) {
  const other = settings.find(({ of }) => of === name)
  if (other && own !== undefined && own !== other.to) {
    throw badField(other.from, `means ${name}=${other.to}, but ${name} is ${own}`)
  }
  return own ?? other?.to
}

function readState(
  { deleted = false, pending_delete }: FilterParameters,
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

/** Parses the filters of a request. All of them must match. */
export function readServerFilter(
  parameters: FilterParameters,
  words: CloudpodsParameters,
): ServerFilter {
  const where = joinConditions<Field, ServerCondition>([
    ...readConditions(serverFields, parameters),
    ...words.same.map(({ as, from, texts }): ConditionsOf => [
      from,
      as === 'ip' ? readNetworks(texts, from) : readField(serverFields, as, texts),
    ]),
    ...readRanges(parameters),
    ['filter', words.filters.map((text) => parseFilter(serverFields, text))],
    ...readTags(parameters),
    ['ip', readNetworks(parameters.ip)],
    ['network', readAttachedNetworks(parameters.network)],
  ])
  const scope = readSetting('scope', parameters.scope, words) as ScopeParameter | undefined
  return { scope, state: readState(parameters, words), where }
}
