import type { CredentialDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly accessKey: CredentialDto
  readonly onClose: () => void
}

export function DeleteKeyDialog({ accessKey: { id, name }, onClose }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const label = name === '' ? id : name
  const remove = useMutation({
    mutationFn: () => api.deleteCredential({ parameters: { id } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
      showToast(t.me.deleted(label))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.me.deleteTitle(label)}
      submit={t.me.deleteKey}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      danger
    >
      <p>{t.me.deleteText}</p>
    </FormDialog>
  )
}
