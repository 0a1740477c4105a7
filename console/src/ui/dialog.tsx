import { useId, useLayoutEffect, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { useModal } from './use-modal.ts'

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
  const modal = useModal(onClose)
  const { ref } = modal
  useLayoutEffect(() => {
    const dialog = ref.current
    // The browser would focus the close button first. A box could be checked by accident.
    const field =
      dialog?.querySelector<HTMLElement>('input:not([type=checkbox]), select, textarea') ??
      dialog?.querySelector<HTMLElement>('input')
    field?.focus()
  }, [ref])
  return (
    <dialog
      {...modal}
      className={wide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
      aria-labelledby={titleId}
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
