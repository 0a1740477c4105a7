import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { updateEntity } from '../../api/entities.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { ImpactList } from './impact-list.tsx'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
  readonly onClose: () => void
}

/** Asks before an entity is disabled, and shows what is affected. */
export function DisableDialog({ kind, entity, onClose }: Props) {
  const t = useAllMessages()
  const queryClient = useQueryClient()
  const disable = useMutation({
    mutationFn: () => updateEntity(kind, entity.id, { enabled: false }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(t.identity.wasDisabled(entity.name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.identity.disableTitle(entity.name)}
      submit={t.identity.disable}
      onSubmit={() => disable.mutate()}
      onClose={onClose}
      busy={disable.isPending}
      error={disable.error}
      danger
    >
      <p>{t.identity.disableText[kind]}</p>
      <ImpactList kind={kind} id={entity.id} action="disable" />
    </FormDialog>
  )
}
