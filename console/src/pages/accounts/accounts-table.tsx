import type { CloudAccount, CloudProvider } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { AccountsFilter } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Icon } from '../../ui/icon.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import type { Sort } from '../../url/sort.ts'
import { AccountMenu } from './account-menu.tsx'
import { AccountStatus } from './account-status.tsx'
import { RemedyLink, useFailingFor } from './account-trouble.tsx'
import styles from './accounts-page.module.css'
import { NextSync } from './next-sync.tsx'
import { serversOf } from './servers-of.ts'
import { SyncAge } from './sync-age.tsx'
import { ProviderMark } from '../../servers/provider-mark.tsx'
import type { AccountActions } from '../../servers/use-account-actions.ts'
import syncStyles from './sync.module.css'
import { shareOf } from './sync-progress.ts'

interface Props {
  readonly accounts: readonly CloudAccount[]
  readonly fetchedAt: number
  readonly providers: readonly CloudProvider[]
  readonly actions: AccountActions
  readonly filter: AccountsFilter
  readonly onSort: (sort: Sort) => void
  readonly onDelete: (account: CloudAccount) => void
}

export function AccountsTable(props: Props) {
  const { accounts, fetchedAt, providers, actions, filter, onSort, onDelete } = props
  const t = useMessages()
  const { number } = useFormat()
  const titles = new Map(providers.map(({ provider, title }) => [provider, title]))
  const columns: readonly Column<CloudAccount>[] = [
    {
      key: 'name',
      title: t.common.name,
      sortBy: 'name',
      cell: ({ id, name, provider }) => (
        <span className={styles.named}>
          <ProviderMark provider={provider} />
          <Link to="/accounts/$id" params={{ id }} className={styles.name} title={name}>
            {name}
          </Link>
        </span>
      ),
    },
    {
      key: 'provider',
      title: t.accounts.provider,
      sortBy: 'provider',
      cell: ({ provider }) => (
        <span className={styles.provider}>{titles.get(provider) ?? provider}</span>
      ),
    },
    {
      key: 'status',
      title: t.accounts.status,
      sortBy: 'status',
      cell: (account) => <StatusCell account={account} />,
    },
    {
      key: 'servers',
      title: t.accounts.servers,
      sortBy: 'servers',
      number: true,
      cell: ({ name, servers }) => (
        <Link
          to="/servers"
          search={{ q: serversOf(name) }}
          aria-label={t.accounts.serversOf(name, number(servers))}
        >
          {number(servers)}
        </Link>
      ),
    },
    {
      key: 'synced',
      title: t.accounts.synced,
      cell: (account) => <SyncAge account={account} fetchedAt={fetchedAt} />,
    },
    {
      key: 'next',
      title: t.accounts.nextSync,
      cell: (account) => (
        <span className={styles.next}>
          {account.sync.state === 'running' ? (
            <RunningMark account={account} />
          ) : (
            <NextSync sync={account.sync} />
          )}
        </span>
      ),
    },
    {
      key: 'actions',
      title: t.common.actions,
      cell: (account) => (
        <AccountMenu account={account} actions={actions} onDelete={() => onDelete(account)} />
      ),
    },
  ]
  return (
    <Table
      caption={t.accounts.title}
      columns={columns}
      rows={accounts}
      rowKey={({ id }) => id}
      sort={{ by: filter.orderBy, order: filter.order }}
      onSort={onSort}
    />
  )
}

/** The status, for how long the account fails, why, and what to do. */
function StatusCell({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number, dateTime } = useFormat()
  const { status, sync } = account
  return (
    <>
      <AccountStatus status={status} note={useFailingFor(account)} />
      {sync.error !== '' && (
        <>
          <span className={styles.error} title={sync.error}>
            {sync.error}
          </span>
          <span className={styles.remedy}>
            <RemedyLink account={account} />
          </span>
        </>
      )}
      {sync.warnings.map(({ kind, text, count, until }) => (
        <span key={kind} className={styles.warning} title={text}>
          <Icon name="warning" size={12} />
          {t.accounts.warningKinds[kind](count, number(count))}
          {until !== null && ` ${t.accounts.removalAt(dateTime(until))}`}
        </span>
      ))}
    </>
  )
}

/** The progress of a running sync, as high as a table row. */
function RunningMark({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number } = useFormat()
  const { seen, created, changed, gone } = account.sync
  const counts = [number(seen), number(created), number(changed), number(gone)] as const
  const share = shareOf(account)
  return (
    <span className={syncStyles.mark} title={t.accounts.soFar(...counts)}>
      <span aria-hidden="true">{t.accounts.soFarShort(...counts)}</span>
      <span className="visuallyHidden">{t.accounts.soFar(...counts)}</span>
      <progress
        className={syncStyles.bar}
        aria-label={t.accounts.progress(account.name)}
        {...(share !== undefined && { value: share })}
      />
    </span>
  )
}
