import type { CredentialDto } from '@muster/contract'
import { useState } from 'react'
import { useSession } from '../../session/use-session.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'
import { EntityLink } from './entity-link.tsx'
import { useNames } from './use-choices.ts'
import { describeRestriction } from '../me/key-restriction.ts'
import { KeyActions } from './key-actions.tsx'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'

/** A table of access keys. */
export function KeysTable({ keys }: { readonly keys: readonly CredentialDto[] }) {
  const t = useAllMessages()
  const now = useNow()
  const session = useSession()
  const names = useNames('projects')
  const [deleting, setDeleting] = useState<CredentialDto>()
  const own = new Map(session.projects.map(({ id, name }) => [id, name]))
  const columns: readonly Column<CredentialDto>[] = [
    { key: 'name', title: t.me.name, cell: ({ name }) => name },
    { key: 'id', title: t.me.key, cell: ({ id }) => <Copyable value={id} /> },
    {
      key: 'project',
      title: t.me.project,
      cell: ({ project_id: id }) => (
        <EntityLink kind="projects" id={id}>
          {own.get(id) ?? names.get(id) ?? id}
        </EntityLink>
      ),
    },
    {
      key: 'state',
      title: t.me.state,
      cell: ({ enabled, expires_at: end }) => {
        if (end !== null && Date.parse(end) <= now) {
          return <StatusMark tone="warn">{t.me.expired}</StatusMark>
        }
        return (
          <StatusMark tone={enabled ? 'good' : 'idle'}>
            {enabled ? t.common.enabled : t.common.disabled}
          </StatusMark>
        )
      },
    },
    {
      key: 'restriction',
      title: t.keyRestriction.restriction,
      cell: ({ restriction }) =>
        describeRestriction(restriction, t, (id) => own.get(id) ?? names.get(id) ?? id).join(
          ' · ',
        ) || t.keyRestriction.unrestricted,
    },
    { key: 'created', title: t.me.created, cell: (key) => <TimeAgo time={key.created_at} /> },
    {
      key: 'ends',
      title: t.me.expires,
      cell: (key) => <TimeAgo time={key.expires_at} never={t.me.never} />,
    },
    {
      key: 'used',
      title: t.me.lastUsed,
      cell: (key) => (
        <>
          <TimeAgo time={key.last_used_at} never={t.me.notUsed} />{' '}
          {key.last_used_ip !== '' && t.me.from(key.last_used_ip)}
        </>
      ),
    },
    {
      key: 'actions',
      title: t.common.actions,
      number: true,
      cell: (key) => <KeyActions accessKey={key} onDelete={() => setDeleting(key)} />,
    },
  ]
  return (
    <>
      <Table caption={t.me.keys} columns={columns} rows={keys} rowKey={({ id }) => id} />
      {deleting && <DeleteKeyDialog accessKey={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

interface DeleteKeyDialogProps {
  readonly accessKey: CredentialDto
  readonly onClose: () => void
}

function DeleteKeyDialog({ accessKey: { id, name }, onClose }: DeleteKeyDialogProps) {
  const t = useAllMessages()
  const queryClient = useQueryClient()
  const label = name === '' ? id : name
  const remove = useMutation({
    mutationFn: () => api.deleteCredential({ parameters: { id } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
      showToast(t.me.deleted(label))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.me.deleteTitle(label)}
      submit={t.me.deleteKey}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      danger
    >
      <p>{t.me.deleteText}</p>
    </FormDialog>
  )
}
