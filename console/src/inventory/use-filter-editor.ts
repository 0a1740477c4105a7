import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type ChangeEvent,
  type CompositionEvent,
  type KeyboardEvent,
} from 'react'
import { isPartOfValue, pendingQuery } from '../filter/pending-query.ts'
import { createSentQueries } from '../filter/sent-queries.ts'
import { readTerms } from '../filter/terms.ts'
import { useValueNames } from '../servers/value-names.ts'
import { useSuggestions, type Filters, type Suggestion } from './use-suggestions.ts'

interface Options {
  readonly q: string
  readonly filters: Filters
  readonly onChange: (q: string) => void
}

const rawTerms = (q: string) => readTerms(q).map(({ raw }) => raw)

interface SentQuery extends Pick<Options, 'q' | 'onChange'> {
  readonly pending: ReturnType<typeof pendingQuery>
}

/** Sends the pending query after its delay. Calls `onOther` when the query was changed from elsewhere. */
function useSentQuery({ q, pending, onChange }: SentQuery, onOther: () => void): void {
  const own = useRef(createSentQueries(q))
  const onOtherQuery = useEffectEvent(onOther)

  useEffect(() => {
    const timer = setTimeout(() => {
      if (own.current.send(pending.q)) onChange(pending.q)
    }, pending.delay)
    return () => clearTimeout(timer)
  }, [pending.q, pending.delay, onChange])

  // Changed from elsewhere: the filters at the side, a saved view, the back button.
  useEffect(() => {
    if (!own.current.isOwn(q)) onOtherQuery()
  }, [q])
}

/** The filter while it is edited: complete terms, the text being typed, and suggestions for it. */
export function useFilterEditor({ q, filters, onChange }: Options) {
  const names = useValueNames()
  const input = useRef<HTMLInputElement>(null)
  const [terms, setTerms] = useState<readonly string[]>(() => rawTerms(q))
  const [draft, setDraft] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [isComposing, setComposing] = useState(false)
  const [at, setAt] = useState(-1)
  /** Ctrl+A in the input selects the terms before it too. */
  const [isAllSelected, setAllSelected] = useState(false)
  const apiTerms = (text: string) => rawTerms(text).map(names.toApiTerm)
  const { suggestions, isLoading } = useSuggestions(draft, terms, filters)
  const isUnsettled = isLoading || isComposing
  const apiDraft = names.toApiQuery(draft)
  const { keys } = filters
  const typing = { keys, terms, draft: apiDraft, suggestions, isUnsettled, isFocused }
  const pending = pendingQuery(typing)

  useSentQuery({ q, pending, onChange }, () => {
    setTerms(rawTerms(q))
    setDraft('')
  })

  function update(nextTerms: readonly string[], nextDraft: string): void {
    setTerms(nextTerms)
    setDraft(nextDraft)
    setAt(-1)
    setAllSelected(false)
  }

  /** A space turns words into terms, unless a quote is open. */
  function type(text: string): void {
    setOpen(true)
    const typed = apiTerms(text)
    const isComplete = text.endsWith(' ') && (text.match(/"/g)?.length ?? 0) % 2 === 0
    if (isComplete && typed.length > 0) update([...terms, ...typed], '')
    else update(terms, text)
  }

  function choose({ draft: next, isFinished }: Suggestion): void {
    if (isFinished) update([...terms, ...apiTerms(next)], '')
    else update(terms, next)
    input.current?.focus()
  }

  /** Enter completes part of a value to the first suggestion, like Tab. */
  function beginning(): Suggestion | undefined {
    const isHalf = isOpen && isPartOfValue({ draft: apiDraft, suggestions })
    return isHalf && !/[:=<>,]$/.test(draft) ? suggestions[0] : undefined
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const { key } = event
    // While an input method composes a word, these keys belong to it.
    if (event.nativeEvent.isComposing) return
    const hasModifier = event.ctrlKey || event.metaKey
    if (isAllSelected && (key === 'Backspace' || key === 'Delete')) {
      event.preventDefault()
      update([], '')
      return
    }
    if (isAllSelected && key.length === 1 && !hasModifier) update([], '')
    if (key !== 'Control' && key !== 'Meta') {
      setAllSelected(hasModifier && key.toLowerCase() === 'a' && terms.length > 0)
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    const chosen = isOpen ? suggestions[at] : undefined
    if (step !== undefined && suggestions.length > 0) {
      event.preventDefault()
      setOpen(true)
      setAt((at + step + suggestions.length) % suggestions.length)
    } else if (key === 'Enter') {
      event.preventDefault()
      const next = chosen ?? beginning()
      if (next) choose(next)
      else if (draft.trim() !== '') update([...terms, ...apiTerms(draft)], '')
      setOpen(next !== undefined && !next.isFinished)
    } else if (
      key === 'Tab' &&
      !event.shiftKey &&
      isOpen &&
      draft !== '' &&
      suggestions[Math.max(at, 0)]
    ) {
      event.preventDefault()
      const suggestion = suggestions[Math.max(at, 0)]
      if (suggestion) choose(suggestion)
    } else if (key === 'Backspace' && draft === '' && terms.length > 0) {
      event.preventDefault()
      update(terms.slice(0, -1), names.toTypedTerm(terms.at(-1) ?? ''))
    } else if (key === 'Escape') {
      if (isOpen) setOpen(false)
      else input.current?.blur()
      event.stopPropagation()
    }
  }

  return {
    terms,
    suggestions,
    /** The index of the suggestion that the arrow keys have reached, or -1. */
    at,
    isListed: isOpen && suggestions.length > 0,
    isAllSelected,
    focus: () => input.current?.focus(),
    choose,

    remove: (index: number) =>
      update(
        terms.filter((_, other) => other !== index),
        draft,
      ),

    /** Turns a term into the text being typed. */
    edit(index: number): void {
      update(
        terms.filter((_, other) => other !== index),
        names.toTypedTerm(terms[index] ?? ''),
      )
      input.current?.focus()
    },

    inputProps: {
      ref: input,
      value: draft,
      onKeyDown,
      onChange(event: ChangeEvent<HTMLInputElement>): void {
        const { isComposing } = event.nativeEvent as InputEvent
        if (isComposing) setDraft(event.target.value)
        else type(event.target.value)
      },
      onCompositionStart: () => setComposing(true),
      onCompositionEnd(event: CompositionEvent<HTMLInputElement>): void {
        setComposing(false)
        type(event.currentTarget.value)
      },
      onFocus(): void {
        setOpen(true)
        setFocused(true)
      },
      onBlur(): void {
        setOpen(false)
        setFocused(false)
        setAllSelected(false)
      },
    },
  }
}
export type FilterEditor = ReturnType<typeof useFilterEditor>
