import type { NewCredentialDto } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accessKeysQuery } from '../../api/queries/access-keys.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Page } from '../../ui/page.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysTable } from '../identity/keys-table.tsx'
import { MeTabs } from './me-tabs.tsx'
import { SecretDialog } from './secret-dialog.tsx'

export function KeysPage() {
  const t = useMessages()
  const { user, projects } = useSession()
  const permission = usePermission('createCredential')
  const query = useQuery(accessKeysQuery(user.id))
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<NewCredentialDto>()
  const reason = permission.reason ?? (projects.length === 0 ? t.me.noProjects : undefined)
  const create = (
    <Button look="primary" icon="plus" disabledReason={reason} onClick={() => setCreating(true)}>
      {t.me.createKey}
    </Button>
  )
  return (
    <Page title={t.me.keys} lead={t.me.keysLead} aside={create}>
      <MeTabs />
      <QueryView
        query={query}
        empty={<EmptyState title={t.me.noKeys}>{t.me.noKeysText}</EmptyState>}
      >
        {(keys) => <KeysTable keys={keys} />}
      </QueryView>
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false)
            setMade(key)
          }}
        />
      )}
      {made && <SecretDialog made={made} onClose={() => setMade(undefined)} />}
    </Page>
  )
}
