import { useId } from 'react'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './filter-bar.module.css'
import { useFilterEditor, type FilterEditor } from './use-filter-editor.ts'
import type { Filters } from './use-suggestions.ts'
import { StatusShape } from '../ui/status-mark.tsx'

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

/** The filter as editable terms, and an input for the next one. */
export function FilterBar({ q, label, hint, filters, problem, onChange }: Props) {
  const t = useMessages()
  const listId = useId()
  const editor = useFilterEditor({ q, filters, onChange })
  const { terms, at, isListed } = editor
  return (
    <div>
      <div
        className={styles.bar}
        role="search"
        data-invalid={problem !== undefined}
        data-selected={editor.isAllSelected}
        onClick={(event) => {
          if (event.target === event.currentTarget) editor.focus()
        }}
      >
        <Icon name="search" />
        {terms.map((term, index) => (
          <FilterTerm
            // Terms may repeat.
            key={`${index} ${term}`}
            term={term}
            onEdit={() => editor.edit(index)}
            onRemove={() => editor.remove(index)}
          />
        ))}
        <input
          {...editor.inputProps}
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
        />
        <SuggestionList id={listId} editor={editor} />
      </div>
      {problem !== undefined && (
        <p id={`${listId}-problem`} className={styles.problem} role="alert">
          <StatusShape tone="bad" />
          {problem}
        </p>
      )}
    </div>
  )
}

interface TermProps {
  readonly term: string
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function FilterTerm({ term, onEdit, onRemove }: TermProps) {
  const t = useMessages()
  const label = useValueNames().termLabel(term)
  return (
    <span className={styles.term}>
      <button
        type="button"
        className={styles.edit}
        title={`${t.servers.editTerm}: ${term}`}
        onClick={onEdit}
      >
        {term.startsWith('-') ? <span className={styles.not}>{label}</span> : label}
      </button>
      <button
        type="button"
        className={styles.remove}
        aria-label={t.servers.removeTerm(label)}
        onClick={onRemove}
      >
        <Icon name="close" size={11} />
      </button>
    </span>
  )
}

function SuggestionList({ id, editor }: { readonly id: string; readonly editor: FilterEditor }) {
  const t = useMessages()
  const { number } = useFormat()
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t.servers.suggestions}
      className={styles.list}
      // Browsers put a scrollable element in the tab order. This one closes as focus leaves the input.
      tabIndex={-1}
      hidden={!editor.isListed}
    >
      {editor.suggestions.map((suggestion, index) => (
        <div
          key={suggestion.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === editor.at}
          className={styles.option}
          // On mouse down, before the input loses the focus and the list closes.
          onMouseDown={(event) => {
            event.preventDefault()
            editor.choose(suggestion)
          }}
        >
          <span>{suggestion.text}</span>
          {suggestion.hint !== undefined && <span className={styles.soft}>{suggestion.hint}</span>}
          {suggestion.count !== undefined && (
            <span className={styles.count}>{number(suggestion.count)}</span>
          )}
        </div>
      ))}
    </div>
  )
}
