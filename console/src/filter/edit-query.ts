import { readTerms, renderTerm, type Term } from './terms.ts'

const join = (terms: readonly string[]) => terms.join(' ')

/** Whether a term includes or excludes values of a field. */
const isAbout = (name: string, isNegated: boolean) => (term: Term) =>
  term.name === name && term.isNegated === isNegated && (term.sign === ':' || term.sign === '=')

/** The included and excluded values of a field. */
export function valuesOf(q: string, name: string): { wanted: string[]; unwanted: string[] } {
  const terms = readTerms(q)
  return {
    wanted: terms.filter(isAbout(name, false)).flatMap(({ values }) => values),
    unwanted: terms.filter(isAbout(name, true)).flatMap(({ values }) => values),
  }
}

/** Whether several terms are about a field. All of them must hold. */
export const hasSeveralTerms = (q: string, name: string): boolean =>
  readTerms(q).filter((term) => isAbout(name, false)(term) || isAbout(name, true)(term)).length > 1

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

const minus = (values: readonly string[], taken: readonly string[]) =>
  values.filter((value) => !taken.includes(value))

/** Includes values of a field, or removes them if all are included already. */
export function toggleValues(q: string, name: string, values: readonly string[]): string {
  const { wanted, unwanted } = valuesOf(q, name)
  const without = setValues(q, name, true, minus(unwanted, values))
  const others = minus(wanted, values)
  const isOn = values.every((value) => wanted.includes(value))
  return setValues(without, name, false, isOn ? others : [...others, ...values])
}

/** Only this value of a field. */
export function filterTo(q: string, name: string, value: string): string {
  const { unwanted } = valuesOf(q, name)
  const without = setValues(q, name, true, minus(unwanted, [value]))
  return setValues(without, name, false, [value])
}

/** Excludes values of a field, or includes them again if all are excluded already. */
export function exclude(q: string, name: string, values: readonly string[]): string {
  const { wanted, unwanted } = valuesOf(q, name)
  const without = setValues(q, name, false, minus(wanted, values))
  const others = minus(unwanted, values)
  const isOn = values.every((value) => unwanted.includes(value))
  return setValues(without, name, true, isOn ? others : [...others, ...values])
}

/** The query without its terms on a field. */
export const without = (q: string, name: string): string =>
  join(
    readTerms(q)
      .filter((term) => term.name !== name)
      .map(({ raw }) => raw),
  )

/** The query with a term that must match too. */
export function addTerm(q: string, term: string): string {
  const terms = readTerms(q).map(({ raw }) => raw)
  return terms.includes(term) ? q : join([...terms, term])
}

/** The query without incomplete terms. */
export const completeTerms = (q: string): string =>
  join(
    readTerms(q)
      .filter(({ isUnfinished, raw }) => !isUnfinished && raw !== '-')
      .map(({ raw }) => raw),
  )
