import type { Claim, CloudAccount } from '@muster/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PreviewDialog } from '../../actions/preview-dialog.tsx'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly account: CloudAccount
  readonly onClose: () => void
}

/** Gives servers to an account that reports them, although another account holds them. */
export function ClaimDialog({ account: { id, name }, onClose }: Props) {
  const { accounts: t } = useMessages()
  const { number } = useFormat()
  const [search, setSearch] = useState('')
  const q = `-account:${id} ${search}`.trim()
  const parameters = { id }
  const dryRun = useQuery({
    queryKey: ['claim-preview', id, q],
    queryFn: async ({ signal }) =>
      (await api.claimServers({ parameters, body: { claim: { q, dry_run: true } }, signal })).claim,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const start = useMutation({
    mutationFn: ({ matched }: Claim) =>
      api.claimServers({ parameters, body: { claim: { q, matched } } }),
    async onSuccess() {
      showToast(t.claimed(name))
      onClose()
      await Promise.all(
        ['accounts', 'servers'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })),
      )
    },
  })
  return (
    <PreviewDialog
      title={t.claimTitle(name)}
      submit={(acting) => t.claimServers(acting, number(acting))}
      dryRun={dryRun}
      start={start}
      onClose={onClose}
    >
      <p>{t.claimText}</p>
      <TextField
        label={t.claimSearch}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
    </PreviewDialog>
  )
}
