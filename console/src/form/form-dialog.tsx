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
  /** The fields themselves say what is wrong: no notice besides. */
  readonly isShownByFields?: boolean
  readonly wide?: boolean
  /** Side by side where there is room; what is given `wideField` takes both. */
  readonly twoColumns?: boolean
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
  readonly children: ReactNode
}

/** Asks for something and does it. What was typed stays where an error comes back. */
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
