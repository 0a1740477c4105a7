import type { CloudAccount } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { accountsQuery, providersQuery, accountsPerPage } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { readFilter } from './accounts-filter.ts'
import { localizeProvider } from './localize-provider.ts'
import styles from './accounts-page.module.css'
import { AccountsTable } from './accounts-table.tsx'
import { AccountsToolbar } from './accounts-toolbar.tsx'
import { accountsFailure } from './accounts-failure.tsx'
import { AttachLink } from './attach-link.tsx'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { useAccountActions } from '../../servers/use-account-actions.ts'
import { Copyable } from '../../ui/copyable.tsx'

/** The list of accounts. */
export function AccountsPage() {
  const t = useMessages()
  const { number, clock } = useFormat()
  const navigate = useNavigate()
  const filter = readFilter(useSearch({ strict: false }))
  const query = useQuery(accountsQuery(filter))
  const { data: known = [] } = useQuery(providersQuery)
  const providers = known.map((each) => localizeProvider(each, t.accounts.providerTexts))
  const actions = useAccountActions()
  const [leaving, setLeaving] = useState<CloudAccount>()
  const { data, dataUpdatedAt: fetchedAt } = query
  const isFiltered = filter.search !== undefined || filter.status !== undefined
  const hasAccounts = isFiltered || (data !== undefined && data.total > 0)

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
          <span className={styles.count} role="status">
            {query.isPlaceholderData && t.connection.searching}
            {!query.isPlaceholderData &&
              hasAccounts &&
              data &&
              t.accounts.count(data.total, number(data.total))}
          </span>
          {data && <ScopeLabel operation="listCloudAccounts" />}
          {data && <span className={styles.count}>{t.common.updatedAt(clock(fetchedAt))}</span>}
          {hasAccounts && <AttachLink />}
        </>
      }
    >
      {actions.error && <ErrorNotice error={actions.error} />}
      {hasAccounts && <AccountsToolbar filter={filter} onChange={show} />}
      <QueryView
        query={query}
        isEmpty={({ total }) => total === 0}
        empty={isFiltered ? <NoAccountMatches /> : <AccountsEmpty />}
        skeleton={<SkeletonRows />}
        failure={accountsFailure('listCloudAccounts')}
      >
        {({ cloudaccounts, total }) => (
          <>
            <AccountsTable
              accounts={cloudaccounts}
              fetchedAt={fetchedAt}
              providers={providers}
              actions={actions}
              filter={filter}
              onSort={({ by, order }) => show({ sort: by, order })}
              onDelete={setLeaving}
            />
            <AccountsPager page={filter.page} total={total} />
          </>
        )}
      </QueryView>
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

function NoAccountMatches() {
  const t = useMessages().accounts
  return (
    <EmptyState
      title={t.noMatch}
      actions={
        <Link to="/accounts" className={buttonClass()}>
          {t.clear}
        </Link>
      }
    >
      {t.noMatchText}
    </EmptyState>
  )
}

/** Shown before the first account is attached. */
function AccountsEmpty() {
  const t = useMessages()
  return (
    <EmptyState title={t.accounts.emptyTitle} actions={<AttachLink />}>
      <p>{t.accounts.emptyText}</p>
      <p className={styles.demo}>
        {t.accounts.emptyDemo} <Copyable value={t.accounts.demoCommand} />
      </p>
    </EmptyState>
  )
}

interface AccountsPagerProps {
  /** Zero-based. */
  readonly page: number
  readonly total: number
}

function AccountsPager({ page, total }: AccountsPagerProps) {
  const t = useMessages()
  const { number } = useFormat()
  const pages = Math.ceil(total / accountsPerPage)
  if (pages < 2) return null
  const link = (to: number, name: string) =>
    to >= 0 &&
    to < pages && (
      <Link
        to="/accounts"
        search={(search) => ({ ...search, page: String(to + 1) })}
        className={buttonClass(undefined, true)}
      >
        {name}
      </Link>
    )
  return (
    <nav className={styles.toolbar} aria-label={t.accounts.pages}>
      {link(page - 1, t.accounts.previous)}
      <span>{t.accounts.page(number(page + 1), number(pages))}</span>
      {link(page + 1, t.accounts.next)}
    </nav>
  )
}
