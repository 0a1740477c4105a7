import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AnyThing, Kind } from '../../api/kind-operations.ts'
import { updateThing } from '../../api/things.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { ImpactList } from './impact-list.tsx'

interface Props {
  readonly kind: Kind
  readonly thing: AnyThing
  readonly onClose: () => void
}

/** Says what would end before it does. */
export function DisableDialog({ kind, thing, onClose }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const disable = useMutation({
    mutationFn: () => updateThing(kind, thing.id, { enabled: false }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(t.identity.wasDisabled(thing.name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.identity.disableTitle(thing.name)}
      submit={t.identity.disable}
      onSubmit={() => disable.mutate()}
      onClose={onClose}
      busy={disable.isPending}
      error={disable.error}
      danger
    >
      <p>{t.identity.disableText[kind]}</p>
      <ImpactList kind={kind} id={thing.id} deed="disable" />
    </FormDialog>
  )
}
