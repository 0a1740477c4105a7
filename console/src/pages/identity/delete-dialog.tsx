import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { kindOperations, type AnyThing, type Kind } from '../../api/kind-operations.ts'
import { impactQuery } from '../../api/queries/things.ts'
import { deleteThing } from '../../api/things.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { ImpactList } from './impact-list.tsx'

interface Props {
  readonly kind: Kind
  readonly thing: AnyThing
  readonly onClose: () => void
}

/** Deletes after its name was typed, and after saying what goes with it. */
export function DeleteDialog({ kind, thing, onClose }: Props) {
  const t = useMessages()
  const format = useFormat()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState('')
  const { impact: operation } = kindOperations[kind]
  const { data: impact } = useQuery({
    ...impactQuery(kind, thing.id),
    enabled: operation !== undefined,
  })
  const remove = useMutation({
    mutationFn: () => deleteThing(kind, thing.id),
    async onSuccess() {
      showToast(t.identity.deleted(thing.name))
      await navigate({ to: '/identity/$kind', params: { kind }, replace: true })
      queryClient.removeQueries({ queryKey: [kind, 'one', thing.id] })
      await queryClient.invalidateQueries({ queryKey: [kind] })
    },
  })
  const servers = impact?.servers ?? 0
  const obstacle = servers > 0 ? t.identity.hasServers(format.number(servers)) : undefined
  const isTyped = typed === thing.name
  return (
    <FormDialog
      title={t.identity.deleteTitle(thing.name)}
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
      <ImpactList kind={kind} id={thing.id} deed="delete" />
      <TextField
        label={t.identity.confirmName(thing.name)}
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
