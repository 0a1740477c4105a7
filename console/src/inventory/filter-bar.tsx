import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { createSentQueries } from '../filter/sent-queries.ts'
import { isPartOfValue, pendingQuery } from '../filter/pending-query.ts'
import { readTerms } from '../filter/terms.ts'
import { useValueNames } from '../servers/value-names.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './filter-bar.module.css'
import { useSuggestions, type Filters, type Suggestion } from './use-suggestions.ts'

interface Props {
  readonly q: string
  readonly label: string
  /** Shown while nothing is typed. */
  readonly hint: string
  readonly filters: Filters
  /** The API's error message for the query. */
  readonly problem: string | undefined
  readonly onChange: (q: string) => void
}

const rawTerms = (q: string) => readTerms(q).map(({ raw }) => raw)

/** The filter as editable terms, and an input for the next one. */
export function FilterBar({ q, label, hint, filters, problem, onChange }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const names = useValueNames()
  const listId = useId()
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
  const own = useRef(createSentQueries(q))
  const { suggestions, isLoading } = useSuggestions(draft, terms, filters)
  const isUnsettled = isLoading || isComposing
  const apiDraft = names.toApiQuery(draft)
  const { keys } = filters
  const typing = { keys, terms, draft: apiDraft, suggestions, isUnsettled, isFocused }
  const pending = pendingQuery(typing)

  useEffect(() => {
    const timer = setTimeout(() => {
      if (own.current.send(pending.q)) onChange(pending.q)
    }, pending.delay)
    return () => clearTimeout(timer)
  }, [pending.q, pending.delay, onChange])

  // Changed from elsewhere: the filters at the side, a saved view, the back button.
  useEffect(() => {
    if (own.current.isOwn(q)) return
    setTerms(rawTerms(q))
    setDraft('')
  }, [q])

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

  function listen(event: KeyboardEvent<HTMLInputElement>): void {
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

  const isListed = isOpen && suggestions.length > 0
  return (
    <div>
      <div
        className={styles.bar}
        role="search"
        data-invalid={problem !== undefined}
        data-selected={isAllSelected}
        onClick={(event) => {
          if (event.target === event.currentTarget) input.current?.focus()
        }}
      >
        <Icon name="search" />
        {terms.map((term, index) => (
          // Terms may repeat.
          <span key={`${index} ${term}`} className={styles.term}>
            <button
              type="button"
              className={styles.edit}
              title={`${t.servers.editTerm}: ${term}`}
              onClick={() => {
                update(
                  terms.filter((_, other) => other !== index),
                  names.toTypedTerm(term),
                )
                input.current?.focus()
              }}
            >
              {term.startsWith('-') ? (
                <span className={styles.not}>{names.termLabel(term)}</span>
              ) : (
                names.termLabel(term)
              )}
            </button>
            <button
              type="button"
              className={styles.remove}
              aria-label={t.servers.removeTerm(names.termLabel(term))}
              onClick={() =>
                update(
                  terms.filter((_, other) => other !== index),
                  draft,
                )
              }
            >
              <Icon name="close" size={11} />
            </button>
          </span>
        ))}
        <input
          ref={input}
          className={styles.input}
          data-find
          role="combobox"
          aria-label={label}
          aria-expanded={isListed}
          aria-controls={listId}
          aria-activedescendant={isListed && at >= 0 ? `${listId}-${at}` : undefined}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={problem === undefined ? undefined : `${listId}-problem`}
          placeholder={terms.length === 0 ? hint : t.servers.typeToFilter}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          value={draft}
          onChange={(event) => {
            const { isComposing } = event.nativeEvent as InputEvent
            if (isComposing) setDraft(event.target.value)
            else type(event.target.value)
          }}
          onCompositionStart={() => setComposing(true)}
          onCompositionEnd={(event) => {
            setComposing(false)
            type(event.currentTarget.value)
          }}
          onKeyDown={listen}
          onFocus={() => {
            setOpen(true)
            setFocused(true)
          }}
          onBlur={() => {
            setOpen(false)
            setFocused(false)
            setAllSelected(false)
          }}
        />
        <div
          id={listId}
          role="listbox"
          aria-label={t.servers.suggestions}
          className={styles.list}
          // Browsers put a scrollable element in the tab order. This one closes as focus leaves the input.
          tabIndex={-1}
          hidden={!isListed}
        >
          {suggestions.map((suggestion, index) => (
            <div
              key={suggestion.id}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              className={styles.option}
              // On mouse down, before the input loses the focus and the list closes.
              onMouseDown={(event) => {
                event.preventDefault()
                choose(suggestion)
              }}
            >
              <span>{suggestion.text}</span>
              {suggestion.hint !== undefined && (
                <span className={styles.soft}>{suggestion.hint}</span>
              )}
              {suggestion.count !== undefined && (
                <span className={styles.count}>{number(suggestion.count)}</span>
              )}
            </div>
          ))}
        </div>
      </div>
      {problem !== undefined && (
        <p id={`${listId}-problem`} className={styles.problem} role="alert">
          ▲ {problem}
        </p>
      )}
    </div>
  )
}
