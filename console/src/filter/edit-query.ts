import { readTerms, renderTerm, type Term } from './terms.ts'

const join = (terms: readonly string[]) => terms.join(' ')

/** Those of a field that say "one of these", or "none of these". */
const isAbout = (name: string, isNegated: boolean) => (term: Term) =>
  term.name === name && term.isNegated === isNegated && (term.sign === ':' || term.sign === '=')

/** The values that a query wants of a field, and those it wants not. */
export function valuesOf(q: string, name: string): { wanted: string[]; unwanted: string[] } {
  const terms = readTerms(q)
  return {
    wanted: terms.filter(isAbout(name, false)).flatMap(({ values }) => values),
    unwanted: terms.filter(isAbout(name, true)).flatMap(({ values }) => values),
  }
}

function setValues(q: string, name: string, isNegated: boolean, values: readonly string[]): string {
  const terms = readTerms(q)
  const isOld = isAbout(name, isNegated)
  const at = terms.findIndex(isOld)
  const others = terms.map((term) => (isOld(term) ? undefined : term.raw))
  const fresh = values.length === 0 ? undefined : renderTerm(name, values, isNegated)
  if (at === -1) others.push(fresh)
  else others[at] = fresh
  return join(others.filter((term) => term !== undefined))
}

/** Adds a value to those wanted of a field, or takes it away where it is among them. */
export function toggleValue(q: string, name: string, value: string): string {
  const { wanted, unwanted } = valuesOf(q, name)
  const without = setValues(
    q,
    name,
    true,
    unwanted.filter((other) => other !== value),
  )
  const next = wanted.includes(value)
    ? wanted.filter((other) => other !== value)
    : [...wanted, value]
  return setValues(without, name, false, next)
}

/** Only this value of a field. */
export function filterTo(q: string, name: string, value: string): string {
  const { unwanted } = valuesOf(q, name)
  const without = setValues(
    q,
    name,
    true,
    unwanted.filter((other) => other !== value),
  )
  return setValues(without, name, false, [value])
}

/** All but this value of a field; asked again, it is let in again. */
export function exclude(q: string, name: string, value: string): string {
  const { wanted, unwanted } = valuesOf(q, name)
  const without = setValues(
    q,
    name,
    false,
    wanted.filter((other) => other !== value),
  )
  const next = unwanted.includes(value)
    ? unwanted.filter((other) => other !== value)
    : [...unwanted, value]
  return setValues(without, name, true, next)
}

/** The query but for what it says of a field: which its own filter group counts. */
export const without = (q: string, name: string): string =>
  join(
    readTerms(q)
      .filter((term) => term.name !== name)
      .map(({ raw }) => raw),
  )

/** What can be asked already: without the term that somebody has begun. */
export const completeTerms = (q: string): string =>
  join(
    readTerms(q)
      .filter(({ isUnfinished, raw }) => !isUnfinished && raw !== '-')
      .map(({ raw }) => raw),
  )
