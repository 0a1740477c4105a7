import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { loginOptionsQuery } from '../../api/queries/session.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { LinkedLoginsTable } from '../identity/linked-logins-table.tsx'
import { LinkOwnLoginDialog } from './link-own-login-dialog.tsx'
import { MeTabs } from './me-tabs.tsx'
import styles from './me.module.css'

/** What the address says after a visit to the page of a provider. */
const outcomes = ['yes', 'no'] as const

export function LoginsPage() {
  const { me, linkedLogins: t } = useAllMessages()
  const { user } = useSession()
  const { data } = useQuery(loginOptionsQuery())
  const search = useSearch({ strict: false })
  const outcome = outcomes.find((each) => each === search['linked'])
  const [isLinking, setLinking] = useState(false)
  const providers = data?.providers ?? []
  return (
    <Page
      title={me.logins}
      lead={t.loginsLead}
      aside={
        <Button
          look="primary"
          icon="plus"
          disabledReason={providers.length === 0 ? t.noProviders : undefined}
          onClick={() => setLinking(true)}
        >
          {t.linkLogin}
        </Button>
      }
    >
      <MeTabs />
      {outcome && (
        <p className={outcome === 'no' ? styles.warning : undefined} role="status">
          {t.linkOutcomes[outcome]}
        </p>
      )}
      <LinkedLoginsTable userId={user.id} />
      {isLinking && <LinkOwnLoginDialog providers={providers} onClose={() => setLinking(false)} />}
    </Page>
  )
}
