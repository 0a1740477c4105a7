import type { CredentialDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showToast } from '../../ui/show-toast.ts'
import styles from './key-actions.module.css'

interface Props {
  readonly accessKey: CredentialDto
  readonly onDelete: () => void
}

export function KeyActions({ accessKey: key, onDelete }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const canUpdate = usePermission('updateCredential')
  const canDelete = usePermission('deleteCredential')
  const name = key.name === '' ? key.id : key.name
  const toggle = useMutation({
    mutationFn: () =>
      api.updateCredential({
        parameters: { id: key.id },
        body: { credential: { enabled: !key.enabled } },
      }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
      showToast(key.enabled ? t.me.keyDisabled(name) : t.me.keyEnabled(name))
    },
  })
  return (
    <>
      <div className={styles.actions}>
        <Button
          small
          look="quiet"
          aria-label={key.enabled ? t.me.disableOf(name) : t.me.enableOf(name)}
          disabledReason={canUpdate.reason}
          busy={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {key.enabled ? t.me.disable : t.me.enable}
        </Button>
        <Button
          small
          look="quiet"
          icon="trash"
          label={t.me.deleteOf(name)}
          disabledReason={canDelete.reason}
          onClick={onDelete}
        />
      </div>
      {toggle.isError && <ErrorNotice error={toggle.error} />}
    </>
  )
}
