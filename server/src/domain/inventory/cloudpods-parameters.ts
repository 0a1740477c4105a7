import { cloudpodsFilters, cloudpodsPaging, type CloudpodsParameter } from '@muster/contract'
import { badField } from '../error.ts'

/** Another name for a parameter, as it was given. */
interface SameWord {
  readonly as: string
  readonly from: string
  readonly texts: readonly string[]
}

/** Cloudpods' parameters, translated to Muster's. */
export interface CloudpodsParameters {
  /** Muster's own parameters that they stand for, with their values. */
  readonly same: readonly SameWord[]
  /** Expressions in the syntax of `filter`. All of them must match. */
  readonly filters: readonly string[]
  readonly order: readonly { readonly by: string; readonly descending: boolean }[]
  readonly settings: readonly { readonly of: string; readonly to: string; readonly from: string }[]
}

interface Collected {
  readonly same: SameWord[]
  readonly filters: string[]
  readonly order: { by: string; descending: boolean }[]
  readonly settings: { of: string; to: string; from: string }[]
}

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).map(String).filter((text) => text !== '')

/** A flag that is false, or an empty text, has no effect. */
const asksForNothing = (value: unknown) => value === false || textsIn(value).length === 0

function read(name: string, meaning: CloudpodsParameter, value: unknown, words: Collected): void {
  switch (meaning.means) {
    case 'same':
      if (!asksForNothing(value)) {
        words.same.push({ as: meaning.as, from: name, texts: textsIn(value) })
      }
      return
    case 'filter': {
      const filter = meaning[value === true ? 'true' : 'false']
      if (filter !== undefined) words.filters.push(filter)
      return
    }
    case 'setting':
      if (value === true) words.settings.push({ of: meaning.of, to: meaning.to, from: name })
      return
    case 'order':
      if (value !== '') words.order.push({ by: meaning.by, descending: value === 'desc' })
      return
    case 'nothing':
      return
    case 'refused':
      if (!asksForNothing(value)) throw badField(name, `is not supported: ${meaning.because}`)
  }
}

const meanings: Readonly<Record<string, CloudpodsParameter>> = {
  ...cloudpodsFilters,
  ...cloudpodsPaging,
}

/** Translates the parameters that only Cloudpods has. An unsupported one is an error. */
export function readCloudpodsParameters(
  parameters: Readonly<Record<string, unknown>>,
): CloudpodsParameters {
  const words: Collected = { same: [], filters: [], order: [], settings: [] }
  for (const [name, value] of Object.entries(parameters)) {
    const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined
    if (meaning) read(name, meaning, value, words)
  }
  return words
}
