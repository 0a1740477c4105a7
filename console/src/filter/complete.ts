import { findKey, type FilterKey } from './keys.ts'
import { quoteValue, readTerms } from './terms.ts'

/** What to suggest for the draft. */
export type Completion =
  | { readonly kind: 'keys'; readonly prefix: string; readonly keys: readonly FilterKey[] }
  | {
      readonly kind: 'values'
      readonly key: FilterKey
      /** Everything before the value that is being typed: `-status:running,`. */
      readonly head: string
      readonly typed: string
    }
  | { readonly kind: 'nothing' }

/** Decides whether to suggest keys, values of a key, or nothing. */
export function completionAt(draft: string, keys: readonly FilterKey[]): Completion {
  const term = readTerms(draft).at(-1)
  if (draft === '' || draft.endsWith(' ') || !term) {
    return { kind: 'keys', prefix: '', keys }
  }
  if (term.name === undefined) {
    const prefix = term.raw.replace(/^-/, '').toLowerCase()
    return { kind: 'keys', prefix, keys: keys.filter(({ name }) => name.startsWith(prefix)) }
  }
  const key = findKey(keys, term.name)
  if (!key) return { kind: 'nothing' }
  const typed = term.values.at(-1) ?? ''
  const head = term.raw.slice(0, term.raw.length - lengthOfLast(term.raw))
  return { kind: 'values', key, head, typed }
}

/** The length of the last value of a term, with its quotes. */
function lengthOfLast(raw: string): number {
  const [last = ''] = /(?:"(?:[^"\\]|\\.)*"?|[^,:=<>"])*$/.exec(raw) ?? []
  return last.length
}

/** The draft after choosing a key. A leading `-` stays. */
export function withKey(draft: string, { name, signs }: FilterKey): string {
  const start = draft.replace(/\S*$/, '')
  const minus = /(?:^|\s)-\S*$/.test(draft) ? '-' : ''
  return `${start}${minus}${name}${signs?.[0] ?? ':'}`
}

/** The term after choosing a value. */
export const withValue = (head: string, value: string): string => `${head}${quoteValue(value)}`
