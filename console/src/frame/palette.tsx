import { useRouter } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { ScopeLabel } from '../session/scope-label.tsx'
import { useSession } from '../session/use-session.ts'
import { Icon } from '../ui/icon.tsx'
import { useModal } from '../ui/use-modal.ts'
import type { ServerCommand } from './chosen-action.tsx'
import { chosenOf, stepFrom, type PaletteOption } from './palette-options.ts'
import styles from './palette.module.css'
import { rememberAddress } from './recent-addresses.ts'
import { usePaletteOptions } from './use-palette-options.ts'

interface Props {
  readonly onCommand: (command: ServerCommand) => void
  readonly onClose: () => void
}

/** The command palette: finds servers, projects, people and more, opens pages and runs commands. */
export function Palette({ onCommand, onClose }: Props) {
  const t = useMessages()
  const listId = useId()
  const modal = useModal(onClose)
  const router = useRouter()
  const { user } = useSession()
  const [text, setText] = useState('')
  const [chosenId, setChosenId] = useState<string>()
  const { options, pending, isSearching, hasFailed } = usePaletteOptions(text, onCommand)
  // Enter opens the first option, which is still to come.
  const chosen = pending > 0 && chosenId === undefined ? undefined : chosenOf(options, chosenId)

  function run(option: PaletteOption | undefined): void {
    if (!option) return
    if ('fill' in option) {
      setText(option.fill)
      setChosenId(undefined)
      return
    }
    onClose()
    if ('run' in option) return option.run()
    rememberAddress(user.id, option.href)
    void router.navigate({ href: `/console${option.href}` })
  }

  function listen(event: KeyboardEvent): void {
    // While an input method composes a word, these keys belong to it.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosenId(stepFrom(options, chosen, step)?.id)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(chosen)
    }
  }

  return (
    <dialog {...modal} className={styles.palette} aria-label={t.frame.openPalette}>
      <div className={styles.line}>
        <Icon name="search" />
        <input
          className={styles.input}
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={chosen && `${listId}-${options.indexOf(chosen)}`}
          aria-label={t.frame.openPalette}
          placeholder={t.frame.paletteHint}
          spellCheck={false}
          autoComplete="off"
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosenId(undefined)
          }}
          onKeyDown={listen}
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label={t.frame.searchOrJump}
        aria-busy={isSearching || pending > 0}
        className={styles.list}
      >
        {pending > 0 && (
          <div className={styles.heading} role="presentation">
            {t.frame.paletteGroups.recent}
          </div>
        )}
        {Array.from({ length: pending }, (_, place) => (
          <div key={place} className={styles.option} role="presentation">
            <span className={styles.pending} />
          </div>
        ))}
        {options.map((option, index) => (
          <div key={option.id} role="presentation">
            {options[index - 1]?.group !== option.group && (
              <div className={styles.heading} role="presentation">
                {t.frame.paletteGroups[option.group]}{' '}
                {option.group === 'servers' && <ScopeLabel operation="listServers" />}
              </div>
            )}
            {/* The input keeps the focus and hears the keys: this is for the mouse. */}
            <div
              id={`${listId}-${index}`}
              role="option"
              aria-selected={option === chosen}
              className={styles.option}
              onMouseMove={() => setChosenId(option.id)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => run(option)}
            >
              <Icon name={option.icon} />
              <span className={styles.name}>{option.name}</span>
              {option.hint !== undefined && <span className={styles.hint}>{option.hint}</span>}
            </div>
          </div>
        ))}
      </div>
      <p role="status" className={styles.status}>
        {isSearching && t.connection.searching}
        {hasFailed && !isSearching && t.errors.unreachable}
      </p>
    </dialog>
  )
}
