import type { CloudAccount } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { deleteAccount } from './delete-account.ts'

interface Props {
  readonly account: CloudAccount
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks before an account goes; where servers go with it, by having its name typed. */
export function DeleteAccountDialog({ account, onClose, onDeleted }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const [typed, setTyped] = useState('')
  const [servers, setServers] = useState(account.servers)
  const { id, name } = account
  const evicts = servers > 0
  const remove = useMutation({
    mutationFn: () => deleteAccount(id, evicts),
    async onSuccess(outcome) {
      if (outcome !== 'deleted') {
        setServers(outcome)
        return
      }
      showToast(t.accounts.deleted(name))
      onDeleted()
      queryClient.removeQueries({ queryKey: ['accounts', 'one'] })
      await Promise.all(
        ['accounts', 'servers'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })),
      )
    },
  })
  const isMistyped = evicts && typed.trim() !== name
  return (
    <FormDialog
      title={t.accounts.deleteTitle(name)}
      submit={evicts ? t.accounts.deleteEvict(servers, number(servers)) : t.accounts.deletePlain}
      danger
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      disabledReason={isMistyped ? t.accounts.evictMistyped : undefined}
    >
      <p>{t.accounts.deleteText}</p>
      {evicts && (
        <>
          <p>{t.accounts.evictText(servers, number(servers))}</p>
          <p>{t.accounts.evictKeep}</p>
          <TextField
            label={t.accounts.evictType(name)}
            required
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
