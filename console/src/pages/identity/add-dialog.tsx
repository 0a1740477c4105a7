import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Kind } from '../../api/kind-operations.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { pick } from './pick.ts'
import { EntityPicker } from './entity-picker.tsx'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly title: string
  readonly kind: Kind
  readonly label: string
  readonly onAdd: (id: string) => Promise<unknown>
  readonly onAdded: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Picks an entity to add. */
export function AddDialog({ title, kind, label, onAdd, onAdded, onClose }: Props) {
  const t = useAllMessages()
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)
  const choices = useChoices(kind)
  const id = pick(text, choices)
  const add = useMutation({
    mutationFn: onAdd,
    async onSuccess(_, added) {
      await onAdded(choices.find((choice) => choice.id === added)?.name ?? added)
      onClose()
    },
  })
  return (
    <FormDialog
      title={title}
      submit={title}
      onSubmit={() => {
        setTried(true)
        if (id !== undefined) add.mutate(id)
      }}
      onClose={onClose}
      busy={add.isPending}
      error={add.error}
    >
      <EntityPicker
        kind={kind}
        label={label}
        required
        text={text}
        onText={setText}
        error={isTried && id === undefined ? t.identity.notPicked : undefined}
      />
    </FormDialog>
  )
}
