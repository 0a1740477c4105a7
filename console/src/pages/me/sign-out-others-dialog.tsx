import type { SessionEntry } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { sessionsQuery } from '../../api/queries/session.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly others: readonly SessionEntry[]
  readonly onClose: () => void
}

export function SignOutOthersDialog({ others, onClose }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const end = useMutation({
    async mutationFn() {
      for (const { id } of others) await api.endOneSession({ parameters: { id } })
    },
    onSuccess() {
      showToast(t.me.othersEnded)
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <FormDialog
      title={t.me.endOthersTitle}
      submit={t.me.endOthers}
      onSubmit={() => end.mutate()}
      onClose={onClose}
      busy={end.isPending}
      error={end.error}
      danger
    >
      <p>{t.me.endOthersText(others.length)}</p>
    </FormDialog>
  )
}
