import {
  useLayoutEffect,
  useRef,
  type MouseEvent,
  type PointerEvent,
  type SyntheticEvent,
} from 'react'

/**
 * The properties of a `<dialog>` that is modal while it is rendered: the browser traps the focus and restores
 * it. Escape and a click outside call `onClose`.
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  // Close before the element is removed: a removed dialog does not restore the focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return {
    ref,
    onCancel(event: SyntheticEvent): void {
      event.preventDefault()
      onClose()
    },
    // Browsers close it without asking after a second Escape, or if nothing was clicked or typed in it.
    onClose(event: SyntheticEvent<HTMLDialogElement>): void {
      if (!event.currentTarget.isConnected) return
      event.currentTarget.showModal()
      onClose()
    },
    onPointerDown(event: PointerEvent): void {
      isPressedOutside.current = event.target === ref.current
    },
    onClick(event: MouseEvent): void {
      // A text selection may end outside the dialog. That is not a click outside.
      if (event.target === ref.current && isPressedOutside.current) onClose()
    },
  }
}
