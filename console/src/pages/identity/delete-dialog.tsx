import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { impactQuery } from '../../api/queries/entities.ts'
import { deleteEntity } from '../../api/entities.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { ImpactList } from './impact-list.tsx'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
  readonly onClose: () => void
}

/** Asks to type the name before deleting, and shows what is affected. */
export function DeleteDialog({ kind, entity, onClose }: Props) {
  const t = useAllMessages()
  const format = useFormat()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState('')
  const { impact: operation } = kindOperations[kind]
  const { data: impact } = useQuery({
    ...impactQuery(kind, entity.id),
    enabled: operation !== undefined,
  })
  const remove = useMutation({
    mutationFn: () => deleteEntity(kind, entity.id),
    async onSuccess() {
      showToast(t.identity.deleted(entity.name))
      await navigate({ to: '/identity/$kind', params: { kind }, replace: true })
      queryClient.removeQueries({ queryKey: [kind, 'one', entity.id] })
      await queryClient.invalidateQueries({ queryKey: [kind] })
    },
  })
  const servers = impact?.servers ?? 0
  const obstacle = servers > 0 ? t.identity.hasServers(format.number(servers)) : undefined
  const isTyped = typed === entity.name
  return (
    <FormDialog
      title={t.identity.deleteTitle(entity.name)}
      submit={t.common.delete}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      danger
      disabledReason={obstacle ?? (isTyped ? undefined : t.identity.notYetTyped)}
    >
      <p>{t.identity.deleteText[kind]}</p>
      {obstacle !== undefined && <p role="alert">{obstacle}</p>}
      <ImpactList kind={kind} id={entity.id} action="delete" />
      <TextField
        label={t.identity.confirmName(entity.name)}
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
