import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionsQuery } from '../../api/queries/session.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangePasswordDialog } from './change-password-dialog.tsx'
import { SignOutOthersDialog } from './sign-out-others-dialog.tsx'
import { MeTabs } from './me-tabs.tsx'
import { SessionsTable } from './sessions-table.tsx'

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
