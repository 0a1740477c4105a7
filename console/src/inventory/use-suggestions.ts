import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { CountsQuery } from '../api/queries/pages.ts'
import { completionAt, withKey, withValue } from '../filter/complete.ts'
import { completeTerms } from '../filter/edit-query.ts'
import type { FilterKey } from '../filter/keys.ts'
import { listedValues } from '../servers/value-counts.ts'
import { isServerStatus, statusesIn } from '../servers/status.ts'
import { namedGroups, useValueNames } from '../servers/value-names.ts'
import { useMessages } from '../messages/use-messages.ts'

export interface Suggestion {
  readonly id: string
  readonly text: string
  readonly hint?: string
  readonly count?: number
  /** The new draft, and whether the term is complete. */
  readonly draft: string
  readonly isFinished: boolean
}

/** What a list can be filtered by. */
export interface Filters {
  readonly keys: readonly FilterKey[]
  readonly labelOf: (key: string) => string
  /** The values of fields among the items that match the query, most frequent first. */
  readonly countsQuery: (q: string, fields: readonly string[]) => CountsQuery
}

const most = 40

/** Suggests keys, then their values with counts. */
export function useSuggestions(
  draft: string,
  terms: readonly string[],
  { keys, labelOf, countsQuery }: Filters,
): { readonly suggestions: readonly Suggestion[]; readonly isLoading: boolean } {
  const t = useMessages()
  const names = useValueNames()
  const completing = completionAt(draft, keys)
  const group = completing.kind === 'values' ? completing.key.groups : undefined
  const tagKey =
    completing.kind === 'values' && completing.key.name === 'tag'
      ? tagOf(completing.typed)
      : undefined
  const groupBy = group ?? (tagKey === undefined ? undefined : `metadata.${tagKey}`)
  const { data: counts, isLoading } = useQuery({
    ...countsQuery(completeTerms(terms.join(' ')), groupBy === undefined ? [] : [groupBy]),
    enabled: groupBy !== undefined,
    placeholderData: keepPreviousData,
  })

  /** Statuses by the beginning of their names: `sto` suggests `status:ready`, which reads Stopped. */
  const statusesNamed = (prefix: string): readonly Suggestion[] =>
    Object.entries(t.values.statuses)
      .filter(([status]) => isServerStatus(status) && keys.some((key) => key.hasStatusGroups))
      .filter(([, name]) => prefix.length >= 3 && name.toLowerCase().startsWith(prefix))
      .map(([status, text]) => ({
        id: `status:${status}`,
        text: `status:${text}`,
        hint: status,
        draft: withValue(withKey(draft, { name: 'status' }), status),
        isFinished: true,
      }))

  if (completing.kind === 'keys') {
    const names = completing.keys.map((key) => ({
      id: key.name,
      text: key.name,
      hint: labelOf(key.name),
      draft: withKey(draft, key),
      isFinished: false,
    }))
    return { suggestions: [...names, ...statusesNamed(completing.prefix)], isLoading: false }
  }
  if (completing.kind === 'nothing') return { suggestions: [], isLoading: false }
  const { head, typed, key } = completing
  const prefix = tagKey === undefined ? '' : `${tagKey}=`
  const fixed = (key.values ?? []).map((value) => ({ value, count: undefined }))
  const counted = groupBy === undefined ? [] : listedValues(counts?.groups[groupBy] ?? [])
  const wanted = typed.slice(prefix.length).toLowerCase()
  const groups = key.hasStatusGroups
    ? namedGroups
        .filter((group) => t.values.statusGroups[group].toLowerCase().includes(wanted))
        .map((group) => ({
          id: group,
          text: t.values.statusGroups[group],
          count: counted
            .filter(({ value }) => statusesIn[group].includes(String(value)))
            .reduce((sum, { count }) => sum + count, 0),
          draft: `${head}${statusesIn[group].join(',')}`,
          isFinished: true,
        }))
    : []
  const values = [...fixed, ...counted]
    .filter(({ value }) => value !== null && value !== '')
    .map(({ value, count }) => {
      const word = names.apiWord(key.name, String(value))
      return {
        id: String(value),
        text: names.name(key.name, String(value)),
        ...(word !== undefined && { hint: word }),
        ...(count !== undefined && { count }),
        draft:
          prefix === ''
            ? withValue(head, String(value))
            : `${head}${prefix}${withValue('', String(value))}`,
        isFinished: true,
      }
    })
    .filter(({ id, text }) => `${id}\n${text}`.toLowerCase().includes(wanted))
  return { suggestions: [...groups, ...values].slice(0, most), isLoading }
}

/** `env` of `env=pr`; undefined before the `=`. */
function tagOf(typed: string): string | undefined {
  const end = typed.indexOf('=')
  return end > 0 ? typed.slice(0, end) : undefined
}
