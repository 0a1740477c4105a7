import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isKind, kindOperations, kinds, type Kind } from '../../api/kind-operations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { tabClass, Tabs } from '../../ui/tabs.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { CheckDialog } from './check-dialog.tsx'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { EntityFormDialog } from './entity-form-dialog.tsx'
import { EntityList } from './entity-list.tsx'

export function IdentityPage() {
  const { kind } = useParams({ strict: false })
  // Reset the state when the kind changes.
  return isKind(kind) ? <KindPage key={kind} kind={kind} /> : <NotFoundPage />
}

function KindPage({ kind }: { readonly kind: Kind }) {
  const t = useAllMessages()
  const [isCreating, setCreating] = useState(false)
  const [isCreatingAccount, setCreatingAccount] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const operations = kindOperations[kind]
  const canList = usePermission(operations.list)
  const canCreate = usePermission(operations.create)
  return (
    <Page
      title={t.identity.kinds[kind]}
      lead={t.identity.lead[kind]}
      aside={
        <>
          {(kind === 'policies' || kind === 'roles') && (
            <Button icon="search" onClick={() => setChecking(true)}>
              {t.identity.check}
            </Button>
          )}
          <Button
            look="primary"
            icon="plus"
            disabledReason={canCreate.reason}
            onClick={() => setCreating(true)}
          >
            {t.identity.create[kind]}
          </Button>
          {kind === 'users' && (
            <Button
              icon="plus"
              disabledReason={canCreate.reason}
              onClick={() => setCreatingAccount(true)}
            >
              {t.identity.createServiceAccount}
            </Button>
          )}
        </>
      }
    >
      <Tabs label={t.identity.tabs}>
        {kinds.map((each) => (
          <Link
            key={each}
            to="/identity/$kind"
            params={{ kind: each }}
            className={tabClass}
            activeOptions={{ includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t.identity.kinds[each]}
          </Link>
        ))}
      </Tabs>
      {canList.reason === undefined ? (
        <EntityList kind={kind} />
      ) : (
        <NotAllowed title={t.identity.notAllowed} reason={canList.reason} />
      )}
      {isCreating && <EntityFormDialog kind={kind} onClose={() => setCreating(false)} />}
      {isCreatingAccount && (
        <EntityFormDialog kind="users" isServiceAccount onClose={() => setCreatingAccount(false)} />
      )}
      {isChecking && <CheckDialog onClose={() => setChecking(false)} />}
    </Page>
  )
}
