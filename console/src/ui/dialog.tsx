import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  readonly footer?: ReactNode
  readonly children: ReactNode
}

/** The browser's modal dialog: it traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, onClose, wide = false, footer, children }: Props) {
  const t = useMessages()
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  // Close before the element is removed: a removed dialog does not restore the focus.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The browser would focus the close button first. A box could be checked by accident.
    const field =
      dialog?.querySelector<HTMLElement>('input:not([type=checkbox]), select, textarea') ??
      dialog?.querySelector<HTMLElement>('input')
    field?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      className={wide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === element.current
      }}
      onClick={(event) => {
        // A text selection may end outside the dialog. That is not a click outside.
        if (event.target === element.current && isPressedOutside.current) onClose()
      }}
    >
      <div className={styles.head}>
        <h2 id={titleId}>{title}</h2>
        <Button look="quiet" small icon="close" label={t.common.close} onClick={onClose} />
      </div>
      <div className={styles.body}>{children}</div>
      {footer !== undefined && <div className={styles.foot}>{footer}</div>}
    </dialog>
  )
}
