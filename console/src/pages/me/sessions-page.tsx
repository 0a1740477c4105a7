import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionsQuery } from '../../api/queries/session.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangePasswordDialog } from './change-password-dialog.tsx'
import { MeTabs } from './me-tabs.tsx'
import { SessionsTable } from './sessions-table.tsx'
import type { SessionEntry } from '@muster/contract'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'

export function SessionsPage() {
  const t = useMessages()
  const query = useQuery({ ...sessionsQuery, refetchInterval: 60_000 })
  const [opened, open] = useState<'password' | 'others'>()
  const canChange = usePermission('changeOwnPassword')
  const others = query.data?.filter(({ current }) => !current) ?? []
  const close = () => open(undefined)
  return (
    <Page
      title={t.me.sessions}
      lead={t.me.sessionsLead}
      aside={
        <>
          <Button icon="key" disabledReason={canChange.reason} onClick={() => open('password')}>
            {t.me.changePassword}
          </Button>
          <Button
            look="danger"
            disabledReason={others.length === 0 ? t.me.noOthers : undefined}
            onClick={() => open('others')}
          >
            {t.me.endOthers}
          </Button>
        </>
      }
    >
      <MeTabs />
      <QueryView query={query}>{(sessions) => <SessionsTable sessions={sessions} />}</QueryView>
      {opened === 'password' && <ChangePasswordDialog onClose={close} />}
      {opened === 'others' && <SignOutOthersDialog others={others} onClose={close} />}
    </Page>
  )
}

interface SignOutOthersDialogProps {
  readonly others: readonly SessionEntry[]
  readonly onClose: () => void
}

function SignOutOthersDialog({ others, onClose }: SignOutOthersDialogProps) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const end = useMutation({
    async mutationFn() {
      for (const { id } of others) await api.endOneSession({ parameters: { id } })
    },
    onSuccess() {
      showToast(t.me.othersEnded)
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <FormDialog
      title={t.me.endOthersTitle}
      submit={t.me.endOthers}
      onSubmit={() => end.mutate()}
      onClose={onClose}
      busy={end.isPending}
      error={end.error}
      danger
    >
      <p>{t.me.endOthersText(others.length)}</p>
    </FormDialog>
  )
}
