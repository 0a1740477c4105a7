import { useState, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import notice from './notice.module.css'

interface Props {
  readonly title: string
  readonly wide?: boolean
  readonly warning: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shows a secret once. Closing without copying takes a second attempt, since Escape is easily pressed. */
export function ShownOnceDialog({ title, wide = false, warning, onClose, children }: Props) {
  const { me: t } = useMessages()
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={() => (isLeaving ? onClose() : setLeaving(true))}
      footer={
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <p className={`${notice.notice} ${notice.warn}`} role="alert">
        {isLeaving ? t.notCopied : warning}
      </p>
      {children}
    </Dialog>
  )
}
