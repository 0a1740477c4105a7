import { useEffect, useRef, useState, type RefObject } from 'react'

/** A request for every letter would show results that nobody asked for. */
export const typingPause = 300

interface DebouncedInput {
  readonly box: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly type: (text: string) => void
}

/**
 * A text input whose value is stored in the address. Typing updates the input immediately and the
 * address after a pause. Changes of the address from elsewhere, such as the back button, replace the
 * text; the echo of an own change does not.
 */
export function useDebouncedInput(value: string, tell: (text: string) => void): DebouncedInput {
  const box = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const told = useRef<readonly string[]>([])
  const [text, setText] = useState(value)
  useEffect(() => {
    const at = told.current.indexOf(value.trim())
    told.current = told.current.slice(at + 1)
    if (at !== -1) return
    told.current = []
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    box,
    text,
    type(next) {
      setText(next)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        told.current = [...told.current, next.trim()]
        tell(next)
      }, typingPause)
    },
  }
}
