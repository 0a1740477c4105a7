import { useBlocker } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Asks before unsaved changes are lost. */
export function UnsavedChangesDialog({ isDirty }: { readonly isDirty: boolean }) {
  const t = useMessages()
  const leaving = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
    withResolver: true,
  })
  if (leaving.status !== 'blocked') return null
  return (
    <Dialog
      title={t.accounts.leaveTitle}
      onClose={leaving.reset}
      footer={
        <>
          <Button onClick={leaving.proceed}>{t.accounts.leave}</Button>
          <Button look="primary" onClick={leaving.reset}>
            {t.accounts.stay}
          </Button>
        </>
      }
    >
      <p>{t.accounts.leaveText}</p>
    </Dialog>
  )
}
