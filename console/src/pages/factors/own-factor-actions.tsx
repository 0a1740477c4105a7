import type { FactorDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { factorsQuery } from '../../api/queries/factors.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly factor: FactorDto
  readonly all: readonly FactorDto[]
}

export function OwnFactorActions({ factor, all }: Props) {
  const { factors: t } = useAllMessages()
  const [opened, open] = useState<'rename' | 'delete'>()
  const close = () => open(undefined)
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={t.renameOf(factor.name)}
        onClick={() => open('rename')}
      >
        {t.rename}
      </Button>
      <Button
        small
        look="quiet"
        aria-label={t.deleteOf(factor.name)}
        onClick={() => open('delete')}
      >
        {t.delete}
      </Button>
      {opened === 'rename' && <RenameDialog factor={factor} onClose={close} />}
      {opened === 'delete' && <DeleteDialog factor={factor} all={all} onClose={close} />}
    </>
  )
}

interface DialogProps {
  readonly factor: FactorDto
  readonly onClose: () => void
}

/** Sends a change of the own factors, and reads them again. */
function useFactorChange(send: (userId: string) => Promise<unknown>, onDone: () => void) {
  const queryClient = useQueryClient()
  const { user } = useSession()
  return useMutation({
    mutationFn: () => send(user.id),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: factorsQuery(user.id).queryKey })
      onDone()
    },
  })
}

function RenameDialog({ factor, onClose }: DialogProps) {
  const { factors: t } = useAllMessages()
  const [name, setName] = useState(factor.name)
  const rename = useFactorChange(
    (id) =>
      api.updateFactor({ parameters: { id, factor_id: factor.id }, body: { factor: { name } } }),
    () => {
      showToast(t.renamed)
      onClose()
    },
  )
  const problem = problemsOf(rename.error, 'factor')['name']
  return (
    <FormDialog
      title={t.renameOf(factor.name)}
      submit={t.rename}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
      busy={rename.isPending}
      error={rename.error}
      isShownByFields={isShownByFields(rename.error, 'factor', ['name'])}
    >
      <TextField
        label={t.name}
        required
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem === undefined ? undefined : t.problem(t.name, problem)}
      />
    </FormDialog>
  )
}

function DeleteDialog({ factor, all, onClose }: DialogProps & Props) {
  const { factors: t } = useAllMessages()
  const isLast = factor.confirmed && !all.some(({ id, confirmed }) => confirmed && id !== factor.id)
  const remove = useFactorChange(
    (id) => api.deleteFactor({ parameters: { id, factor_id: factor.id } }),
    () => {
      showToast(t.deleted(factor.name))
      onClose()
    },
  )
  return (
    <FormDialog
      title={t.deleteOf(factor.name)}
      submit={t.delete}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      danger
    >
      <p>{isLast ? t.deleteLastText : t.deleteText}</p>
    </FormDialog>
  )
}
