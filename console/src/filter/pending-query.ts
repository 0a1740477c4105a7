import { typingPause } from '../form/use-debounced-input.ts'
import { completeTerms } from './edit-query.ts'
import type { FilterKey } from './keys.ts'
import { readTerms } from './terms.ts'

interface Typing {
  readonly keys: readonly FilterKey[]
  /** Terms that are complete. */
  readonly terms: readonly string[]
  /** The text being typed after them. */
  readonly draft: string
  /** Possible completions of the draft, once loaded. */
  readonly suggestions: readonly { readonly draft: string; readonly isFinished: boolean }[]
  /** The suggestions are loading, or an input method is composing a word. */
  readonly isUnsettled: boolean
  readonly isFocused: boolean
}

/** Longer, because users pause while typing a number. */
const longPause = 1_000
/** Longer than between the letters of a key: as a word, it would find nothing. */
const keyPause = 400

/** Whether the draft is an incomplete prefix of a suggested value. */
export function isPartOfValue({ draft, suggestions }: Pick<Typing, 'draft' | 'suggestions'>) {
  const isComparison = readTerms(draft).at(-1)?.name !== undefined
  const areValues =
    isComparison && suggestions.length > 0 && suggestions.every(({ isFinished }) => isFinished)
  return areValues && !suggestions.some((suggestion) => suggestion.draft === draft.trim())
}

const date = /^\d{4}-\d\d-\d\d/

/** Values that the API rejects until they are complete. */
const completeValues: Readonly<Record<string, RegExp>> = {
  ip: /^(?:\d+\.\d+\.\d+\.\d+|.*:.*)(?:\/\d+)?$/,
  created: date,
  created_at: date,
  updated: date,
  updated_at: date,
}

/** An address or a date that is still being typed, or a quote that is not closed yet. */
function isIncomplete(text: string): boolean {
  const terms = readTerms(text)
  const isPartial = terms.some(({ name, values }) => {
    const complete = completeValues[name?.toLowerCase() ?? '']
    return complete !== undefined && values.some((value) => !complete.test(value))
  })
  return isPartial || /(?:^|[:=<>,-])["'][^"']*$/.test(text)
}

/**
 * The query to send, and how long to wait for more to be typed. A half-typed `key:` or value is left
 * out: it would match nothing, and the list would be empty.
 */
export function pendingQuery(typing: Typing): { readonly q: string; readonly delay: number } {
  const { keys, terms, draft, suggestions, isUnsettled, isFocused } = typing
  const text = draft.trim()
  const complete = terms.join(' ')
  if (text === '') return { q: complete, delay: 0 }
  const whole = completeTerms(`${complete} ${text}`).trim()
  if (!isFocused) return { q: whole, delay: 0 }
  if (isUnsettled || isPartOfValue(typing) || isIncomplete(text)) return { q: complete, delay: 0 }
  const isOffered = suggestions.some((suggestion) => suggestion.draft === text)
  const isComparison = readTerms(text).some(({ name }) => name !== undefined)
  const word = text.replace(/^-/, '').toLowerCase()
  // One letter finds something in any case.
  const canBecomeKey = word.length > 1 && keys.some(({ name }) => name.startsWith(word))
  if (isOffered || !(isComparison || canBecomeKey)) return { q: whole, delay: typingPause }
  return { q: whole, delay: isComparison ? longPause : keyPause }
}
