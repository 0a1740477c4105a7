import type { LinkedLoginDto } from '@muster/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { linkedLoginsQuery } from '../../api/queries/linked-logins.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Nothing } from '../../ui/section.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { Table } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** The logins of a user at identity providers. */
export function LinkedLoginsTable({ userId }: { readonly userId: string }) {
  const { identity: t, common } = useAllMessages()
  const query = useQuery(linkedLoginsQuery(userId))
  const removing = usePermission('unlinkLogin')
  const [removed, remove] = useState<LinkedLoginDto>()
  return (
    <>
      <QueryView query={query} empty={<Nothing>{t.noLinkedLogins}</Nothing>}>
        {(logins) => (
          <Table
            caption={t.linkedLogins}
            rows={logins}
            rowKey={({ provider }) => provider.id}
            columns={[
              { key: 'provider', title: t.provider, cell: ({ provider }) => provider.name },
              { key: 'subject', title: t.subject, cell: ({ subject }) => <code>{subject}</code> },
              {
                key: 'confirmed',
                title: t.confirmed,
                cell: ({ confirmed_at }) => <TimeAgo time={confirmed_at} />,
              },
              {
                key: 'remove',
                title: common.actions,
                number: true,
                cell: (login) => (
                  <Button
                    small
                    look="quiet"
                    aria-label={t.unlinkOf(login.provider.name)}
                    disabledReason={removing.reason}
                    onClick={() => remove(login)}
                  >
                    {t.unlink}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </QueryView>
      {removed && (
        <UnlinkDialog userId={userId} login={removed} onClose={() => remove(undefined)} />
      )}
    </>
  )
}

interface UnlinkProps {
  readonly userId: string
  readonly login: LinkedLoginDto
  readonly onClose: () => void
}

function UnlinkDialog({ userId, login: { provider }, onClose }: UnlinkProps) {
  const { identity: t } = useAllMessages()
  const queryClient = useQueryClient()
  const unlink = useMutation({
    mutationFn: () => api.unlinkLogin({ parameters: { id: userId, provider_id: provider.id } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: linkedLoginsQuery(userId).queryKey })
      showToast(t.loginUnlinked(provider.name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.unlinkOf(provider.name)}
      submit={t.unlink}
      onSubmit={() => unlink.mutate()}
      onClose={onClose}
      busy={unlink.isPending}
      error={unlink.error}
      danger
    >
      <p>{t.unlinkText}</p>
    </FormDialog>
  )
}
