import { useEffect, useRef } from 'react'
import { hasSingleKeys } from './preferences.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Keys that operate a focused control. */
const usingKeys = new Set(['Enter', 'ArrowDown', 'ArrowUp'])

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, summary') !== null

/** How long after `g` the second key is accepted. */
const patience = 1_000

let prefixAt = Number.NEGATIVE_INFINITY
let isAfterPrefix = false
// Runs before the shortcuts' listeners, and uses the time of the key press: on a busy page several
// presses may be handled late, one right after the other.
addEventListener(
  'keydown',
  ({ key, target, timeStamp }) => {
    isAfterPrefix = timeStamp - prefixAt < patience
    prefixAt = key === 'g' && !isTyping(target) ? timeStamp : Number.NEGATIVE_INFINITY
  },
  { capture: true },
)

/**
 * `useShortcut('/', focusFilter)`, `'g s'` for one key after another, `'mod+k'` with Ctrl or ⌘.
 * Shortcuts without `mod` do nothing in inputs and under dialogs, and can be switched off.
 */
export function useShortcut(
  keys: string,
  run: (event: KeyboardEvent) => void,
  isActive = true,
): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    const isModified = keys.startsWith('mod+')
    const [first = '', second] = isModified ? [keys.slice(4)] : keys.split(' ')
    function listen(event: KeyboardEvent): void {
      const hasModifier = event.metaKey || event.ctrlKey
      if (event.altKey || hasModifier !== isModified || event.defaultPrevented) return
      const isOpen = document.querySelector('dialog[open], [popover]:popover-open') !== null
      if (!isModified && (isTyping(event.target) || isOpen)) return
      if (!isModified && first.length === 1 && !hasSingleKeys()) return
      if (usingKeys.has(first) && isControl(event.target)) return
      if (
        second === undefined
          ? event.key !== first || isAfterPrefix
          : !isAfterPrefix || event.key !== second
      ) {
        return
      }
      event.preventDefault()
      latest.current(event)
    }
    if (!isActive) return
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys, isActive])
}
