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

/** The platform's own modal: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, wide = false, footer, children }: Props) {
  const t = useMessages()
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  // Before the element is taken away: only an element that is there gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The platform would begin at the button that closes it.
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus()
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
        // A drag that ends outside began inside, as where a text is selected.
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
