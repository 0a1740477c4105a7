import { filterKeys, findKey, type FilterKey } from './keys.ts'
import { quoteValue, readTerms } from './terms.ts'

/** What the word under the cursor could become. */
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

/** Where a draft stands: at a key, at the values of one, or at words to search for. */
export function completionAt(draft: string): Completion {
  const term = readTerms(draft).at(-1)
  if (draft === '' || draft.endsWith(' ') || !term) {
    return { kind: 'keys', prefix: '', keys: filterKeys }
  }
  if (term.name === undefined) {
    const prefix = term.raw.replace(/^-/, '').toLowerCase()
    return { kind: 'keys', prefix, keys: filterKeys.filter(({ name }) => name.startsWith(prefix)) }
  }
  const key = findKey(term.name)
  if (!key) return { kind: 'nothing' }
  const typed = term.values.at(-1) ?? ''
  const head = term.raw.slice(0, term.raw.length - lengthOfLast(term.raw))
  return { kind: 'values', key, head, typed }
}

/** How long the value at the end of a term is, as it stands there. */
function lengthOfLast(raw: string): number {
  const [last = ''] = /(?:"(?:[^"\\]|\\.)*"?|[^,:=<>"])*$/.exec(raw) ?? []
  return last.length
}

/** The draft once a key is chosen: a `-` before it stays. */
export function withKey(draft: string, { name, signs }: FilterKey): string {
  const start = draft.replace(/\S*$/, '')
  const minus = /(?:^|\s)-\S*$/.test(draft) ? '-' : ''
  return `${start}${minus}${name}${signs?.[0] ?? ':'}`
}

/** The finished term once a value is chosen. */
export const withValue = (head: string, value: string): string => `${head}${quoteValue(value)}`
