import type { AccountTest } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface Props {
  /** Of the very settings that are to be saved, where there was one. */
  readonly failed: AccountTest | undefined
  readonly testReason: string | undefined
  readonly onTest: () => void
  readonly onSave: () => void
  readonly onClose: () => void
}

/** Asks before settings are saved of which nobody knows whether they work. */
export function ConfirmSaveDialog({ failed, testReason, onTest, onSave, onClose }: Props) {
  const t = useMessages()
  return (
    <Dialog
      title={failed ? t.accounts.failedTitle : t.accounts.untestedTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button onClick={onSave}>{t.accounts.saveAnyway}</Button>
          {!failed && (
            <Button look="primary" disabledReason={testReason} onClick={onTest}>
              {t.accounts.testFirst}
            </Button>
          )}
        </>
      }
    >
      <p>{failed ? failed.error : t.accounts.untestedText}</p>
    </Dialog>
  )
}
