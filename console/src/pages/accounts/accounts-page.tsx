import type { CloudAccount } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { accountsQuery, providersQuery } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { AccountsEmpty } from './accounts-empty.tsx'
import { readFilter } from './accounts-filter.ts'
import { AccountsPager } from './accounts-pager.tsx'
import styles from './accounts-page.module.css'
import { AccountsTable } from './accounts-table.tsx'
import { AccountsToolbar } from './accounts-toolbar.tsx'
import { AccountsError, hasFailed } from './accounts-error.tsx'
import { AttachLink } from './attach-link.tsx'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { useAccountActions } from './use-account-actions.ts'

/** Where servers come from, and how it goes with each. */
export function AccountsPage() {
  const t = useMessages()
  const { number, clock } = useFormat()
  const navigate = useNavigate()
  const filter = readFilter(useSearch({ strict: false }))
  const query = useQuery(accountsQuery(filter))
  const { data: providers = [] } = useQuery(providersQuery)
  const actions = useAccountActions()
  const [leaving, setLeaving] = useState<CloudAccount>()
  const { data, dataUpdatedAt: fetchedAt } = query
  const isFiltered = filter.search !== undefined || filter.status !== undefined
  const isEmpty = data?.total === 0 && !isFiltered

  const show = (change: Record<string, string>) =>
    void navigate({
      to: '/accounts',
      search: (search) => ({ ...search, page: '', ...change }),
      replace: true,
    })

  return (
    <Page
      title={t.accounts.title}
      aside={
        <>
          {data && !isEmpty && (
            <span className={styles.count} role="status">
              {t.accounts.count(data.total, number(data.total))}
            </span>
          )}
          {data && <span className={styles.count}>{t.common.updatedAt(clock(fetchedAt))}</span>}
          {!isEmpty && !query.isError && <AttachLink />}
        </>
      }
    >
      {hasFailed(query) && <AccountsError query={query} operation="listCloudAccounts" />}
      {query.isError && data && (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      )}
      {actions.error && <ErrorNotice error={actions.error} />}
      {isEmpty && <AccountsEmpty />}
      {data && !isEmpty && <AccountsToolbar filter={filter} onChange={show} />}
      {query.isLoading && <SkeletonRows />}
      {data?.total === 0 && isFiltered && (
        <EmptyState
          title={t.accounts.noMatch}
          actions={
            <Link to="/accounts" className={buttonClass()}>
              {t.accounts.clear}
            </Link>
          }
        >
          {t.accounts.noMatchText}
        </EmptyState>
      )}
      {data && data.total > 0 && (
        <>
          <AccountsTable
            accounts={data.cloudaccounts}
            fetchedAt={fetchedAt}
            providers={providers}
            actions={actions}
            filter={filter}
            onSort={({ by, order }) => show({ sort: by, order })}
            onDelete={setLeaving}
          />
          <AccountsPager page={filter.page} total={data.total} />
        </>
      )}
      {leaving && (
        <DeleteAccountDialog
          account={leaving}
          onClose={() => setLeaving(undefined)}
          onDeleted={() => setLeaving(undefined)}
        />
      )}
    </Page>
  )
}
