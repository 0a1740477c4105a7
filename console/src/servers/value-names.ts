import { useMemo } from 'react'
import { readTerms, renderTerm, type Term } from '../filter/terms.ts'
import type { Messages } from '../messages/en/index.ts'
import { useMessages } from '../messages/use-messages.ts'
import { statusesIn } from './status.ts'

export type ValueNames = ReturnType<typeof createValueNames>

/** Status groups that a query can name instead of their statuses. */
export const namedGroups = ['changing', 'failed'] as const

const hasNames = ({ name, sign }: Term) =>
  (name === 'status' || name === 'provider' || name === 'brand') && (sign === ':' || sign === '=')

/**
 * Translates between the API's values and what people read and type: `status:ready` reads
 * `status:Stopped`, and typing `status:stopped` asks the API for `status:ready`. The page address, saved
 * views and requests have the API's values only: a link must not depend on the language of its sender.
 */
export function createValueNames({ statuses, statusGroups, providers }: Messages['values']) {
  const namesOf = (field: string) =>
    field === 'status' ? statuses : field === 'provider' || field === 'brand' ? providers : {}

  function name(field: string, value: string): string {
    const names = namesOf(field)
    return Object.hasOwn(names, value) ? (names[value] ?? value) : value
  }

  /** The API value, if the name differs in more than capitalisation. */
  function apiWord(field: string, value: string): string | undefined {
    return name(field, value).toLowerCase() === value.toLowerCase() ? undefined : value
  }

  /** "Stopped (ready)". */
  function fullName(field: string, value: string): string {
    const word = apiWord(field, value)
    return word === undefined ? name(field, value) : `${name(field, value)} (${word})`
  }

  function apiValues(field: string, typed: string): readonly string[] {
    const names = namesOf(field)
    const wanted = typed.toLowerCase()
    if (Object.hasOwn(names, typed)) return [typed]
    const group = namedGroups.find((each) =>
      [each, statusGroups[each].toLowerCase()].includes(wanted),
    )
    if (field === 'status' && group) return statusesIn[group]
    if (field === 'status' && wanted === 'stopped') return ['ready']
    const known = Object.keys(names).find(
      (value) => value.toLowerCase() === wanted || names[value]?.toLowerCase() === wanted,
    )
    return [known ?? typed]
  }

  const isGroup = (values: readonly string[], group: readonly string[]) =>
    values.length === group.length && group.every((status) => values.includes(status))

  function labels(field: string, values: readonly string[], label = name): readonly string[] {
    const group = namedGroups.find((each) => isGroup(values, statusesIn[each]))
    if (field === 'status' && group) return [statusGroups[group]]
    return values.map((value) => label(field, value))
  }

  const fullStatus = (field: string, value: string) =>
    field === 'status' ? fullName(field, value) : name(field, value)

  const rewrite = (raw: string, change: (field: string, values: readonly string[]) => string[]) => {
    const [term] = readTerms(raw)
    if (!term || !hasNames(term) || term.isUnfinished) return raw
    const { name: field = '', values, isNegated, sign } = term
    return renderTerm(field, change(field, values), isNegated, sign)
  }

  const toApiTerm = (raw: string): string =>
    rewrite(raw, (field, values) => values.flatMap((value) => apiValues(field, value)))

  return {
    name,
    apiWord,
    fullName,
    toApiTerm,
    toApiQuery: (q: string): string => {
      const terms = readTerms(q)
      return terms.some(hasNames) ? terms.map(({ raw }) => toApiTerm(raw)).join(' ') : q
    },
    /** A term as people read it. */
    termLabel(raw: string): string {
      const [term] = readTerms(raw)
      if (!term || !hasNames(term) || term.isUnfinished) return raw
      const { name: field = '', values, isNegated, sign = ':' } = term
      return `${isNegated ? '-' : ''}${field}${sign}${labels(field, values, fullStatus).join(', ')}`
    },
    /** A term as people would type it. */
    toTypedTerm: (raw: string): string =>
      rewrite(raw, (field, values) => labels(field, values).map((label) => label.toLowerCase())),
  }
}

export function useValueNames(): ValueNames {
  const { values } = useMessages()
  return useMemo(() => createValueNames(values), [values])
}
