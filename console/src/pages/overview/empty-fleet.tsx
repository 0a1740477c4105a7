import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { allAccountsQuery } from '../../api/queries/accounts.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** Shown while there are no servers: explains how to get some. */
export function EmptyFleet() {
  const {
    accounts: { demoCommand },
    overview: { empty: t },
  } = useMessages()
  const { number } = useFormat()
  const navigate = useNavigate()
  const attach = usePermission('createCloudAccount')
  const list = usePermission('listCloudAccounts')
  const { data, isLoading } = useQuery({ ...allAccountsQuery, enabled: list.allowed })
  const accounts = data?.length ?? 0
  return (
    <EmptyState
      title={t.title}
      actions={
        <>
          <Button
            look="primary"
            icon="plus"
            disabledReason={attach.reason}
            onClick={() => void navigate({ to: '/accounts/new' })}
          >
            {t.attach}
          </Button>
          {accounts > 0 && (
            <Link to="/accounts" className={buttonClass()}>
              {t.accounts}
            </Link>
          )}
        </>
      }
    >
      {!isLoading && <p>{accounts > 0 ? t.waiting(accounts, number(accounts)) : t.text}</p>}
      {!list.allowed && <p>{t.elsewhere}</p>}
      <p>
        {t.demo} <Copyable value={demoCommand} />
      </p>
    </EmptyState>
  )
}
