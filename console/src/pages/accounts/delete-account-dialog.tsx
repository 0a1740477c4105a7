import type { CloudAccount } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { isApiError } from '@muster/sdk'
import { api } from '../../api/client.ts'

interface Props {
  readonly account: CloudAccount
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks before deleting an account. If it has servers, its name must be typed. */
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

/** The current number of servers; 0 if unknown. */
async function countServers(id: string): Promise<number> {
  try {
    return (await api.getCloudAccount({ parameters: { id } })).cloudaccount.servers
  } catch {
    return 0
  }
}

/**
 * Deletes an account, and its servers if `evicts`. If servers have appeared meanwhile, nothing is
 * deleted and their number is returned.
 */
async function deleteAccount(id: string, evicts: boolean): Promise<'deleted' | number> {
  try {
    await api.deleteCloudAccount({ parameters: { id }, query: evicts ? { evict: true } : {} })
    return 'deleted'
  } catch (error) {
    const servers = isApiError(error, 'ConflictError') && !evicts ? await countServers(id) : 0
    if (servers === 0) throw error
    return servers
  }
}
