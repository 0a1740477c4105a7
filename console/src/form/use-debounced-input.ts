import { useEffect, useRef, useState, type RefObject } from 'react'

/** Joins what an input method or a paste changes at once. Longer, and a list would lag behind each letter. */
export const typingPause = 20

interface DebouncedInput {
  readonly box: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly type: (text: string) => void
}

/**
 * A text input whose value is stored in the address. Typing updates the input immediately and the address
 * after a pause. Changes of the address from elsewhere, such as the back button, replace the text; the echo
 * of a change made here does not.
 */
export function useDebouncedInput(value: string, onInput: (text: string) => void): DebouncedInput {
  const box = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef<readonly string[]>([])
  const [text, setText] = useState(value)
  useEffect(() => {
    const at = sent.current.indexOf(value.trim())
    sent.current = sent.current.slice(at + 1)
    if (at !== -1) return
    sent.current = []
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
        sent.current = [...sent.current, next.trim()]
        onInput(next)
      }, typingPause)
    },
  }
}
