import type { CloudAccount } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { cacheAccount } from './cache-account.ts'

interface Props {
  readonly account: CloudAccount
  readonly count: number
  readonly onClose: () => void
}

/** Asks before missing servers are removed without waiting. */
export function ConfirmGoneDialog({ account: { id, name }, count, onClose }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const confirm = useMutation({
    mutationFn: () => api.confirmGoneServers({ parameters: { id } }),
    onSuccess({ cloudaccount }) {
      cacheAccount(cloudaccount)
      showToast(t.accounts.goneConfirmed(name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.accounts.confirmGone}
      submit={t.accounts.removeServers(count, number(count))}
      danger
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
      busy={confirm.isPending}
      error={confirm.error}
    >
      <p>{t.accounts.confirmGoneText(count, number(count), name)}</p>
    </FormDialog>
  )
}
