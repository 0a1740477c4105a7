import { useEffect, useId, useRef, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import styles from './form-dialog.module.css'

export const wideField = styles.wide

interface Props {
  readonly title: string
  readonly submit: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly busy: boolean
  readonly error: unknown
  /** The fields show the error, so that no notice is needed. */
  readonly isShownByFields?: boolean
  readonly wide?: boolean
  /** Two columns on wide screens. A field with `wideField` spans both. */
  readonly twoColumns?: boolean
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
  readonly children: ReactNode
}

/** A dialog with a form. The input stays after an error. */
export function FormDialog(props: Props) {
  const { title, submit, onSubmit, onClose, busy, error, isShownByFields = false, children } = props
  const t = useMessages()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isShownByFields) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error, isShownByFields])
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide={props.wide ?? props.twoColumns ?? false}
      footer={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button
            look={props.danger ? 'danger' : 'primary'}
            type="submit"
            form={id}
            busy={busy}
            disabledReason={props.disabledReason}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        ref={form}
        className={props.twoColumns ? `${styles.form} ${styles.two}` : styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && props.disabledReason === undefined) onSubmit()
        }}
      >
        {children}
        {Boolean(error) && !isShownByFields && (
          <div className={wideField}>
            <ErrorNotice error={error} />
          </div>
        )}
      </form>
    </Dialog>
  )
}
