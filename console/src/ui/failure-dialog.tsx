import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'

interface Props {
  readonly title: string
  readonly error: unknown
  readonly onRetry: () => void
  readonly onClose: () => void
}

/** Shows the error of a menu action after the menu has closed. */
export function FailureDialog({ title, error, onRetry, onClose }: Props) {
  const t = useMessages()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t.common.close}</Button>}
    >
      <ErrorNotice error={error} onRetry={onRetry} />
    </Dialog>
  )
}
