import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CloudAccount } from '@muster/contract'
import { useConnection } from '../../api/connection.ts'
import { allAccountsQuery } from '../../api/queries/accounts.ts'
import { ChartCard } from '../../charts/chart-card.tsx'
import { ServersLink } from '../../charts/servers-link.tsx'
import { ScrollingTable } from '../../charts/scrolling-table.tsx'
import { renderTerm } from '../../filter/terms.ts'
import { freshnessTones, isStale } from '../../servers/freshness.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'
import { byAge } from './account-ages.ts'
import styles from './accounts-card.module.css'
import { mostBars } from './most-bars.ts'
import card from '../../charts/chart-card.module.css'

const heightOfRow = 29

interface Props {
  readonly className?: string | undefined
}

/** Accounts by data age, unreachable ones first. */
export function AccountsCard({ className }: Props) {
  const t = useMessages().overview.accounts
  const { allowed, reason } = usePermission('listCloudAccounts')
  if (allowed) return <Ages className={className} />
  return <NotShown title={t.title} text={t.notAllowed(reason ?? '')} className={className} />
}

function Ages({ className }: Props) {
  const t = useMessages().overview
  const { number, clock } = useFormat()
  const now = useNow()
  const query = useQuery(allAccountsQuery)
  const { isConnected } = useConnection()
  const { dataUpdatedAt } = query
  // Without a connection, only what was true at the last answer is known.
  const knownAt = isConnected ? now : dataUpdatedAt

  function summary(accounts: readonly CloudAccount[]): string {
    const count = accounts.length
    if (count === 0) return t.accounts.empty
    const stale = byAge(accounts, knownAt).filter(({ freshness }) => isStale(freshness)).length
    const summary =
      stale === 0 ? t.accounts.fresh(count, number(count)) : t.accounts.stale(stale, number(count))
    return isConnected ? summary : t.accounts.lastKnown(clock(dataUpdatedAt), summary)
  }

  return (
    <ChartCard
      name="accounts"
      title={t.accounts.title}
      operation="listCloudAccounts"
      query={query}
      height={mostBars * heightOfRow + 81}
      className={className}
      summary={summary}
      chart={(accounts) => (
        <>
          <ScrollingTable
            caption={t.accounts.title}
            rows={byAge(accounts, knownAt).slice(0, mostBars)}
            rowKey={({ account }) => account.id}
            columns={[
              {
                key: 'name',
                title: t.accounts.name,
                cell: ({ account: { id, name } }) => (
                  <Link to="/accounts/$id" params={{ id }} title={t.accounts.open(name)}>
                    {name}
                  </Link>
                ),
              },
              {
                key: 'status',
                title: t.column.status,
                cell: ({ freshness }) =>
                  !isConnected && freshness === 'connected' ? (
                    <StatusMark tone="idle">{t.accounts.wasConnected}</StatusMark>
                  ) : (
                    <StatusMark tone={freshnessTones[freshness]}>
                      {t.accounts.states[freshness]}
                    </StatusMark>
                  ),
              },
              {
                key: 'age',
                title: t.column.age,
                cell: ({ account }) => (
                  <TimeAgo time={account.sync.finished_at} never={t.accounts.never} />
                ),
              },
              {
                key: 'servers',
                title: t.column.servers,
                number: true,
                cell: ({ account: { name, servers } }) => (
                  <ServersLink
                    q={renderTerm('account', [name])}
                    title={`${name}: ${t.servers(servers, number(servers))}`}
                  >
                    {number(servers)}
                    <span className="visuallyHidden"> · {name}</span>
                  </ServersLink>
                ),
              },
            ]}
          />
          {accounts.length > mostBars && (
            <p className={styles.more}>
              <Link to="/accounts">{t.accounts.all(number(accounts.length))}</Link>
            </p>
          )}
        </>
      )}
    />
  )
}

interface NotShownProps {
  readonly title: string
  readonly text: string
  readonly className?: string | undefined
}

/** Shown instead of a chart that the user has no access to. */
function NotShown({ title, text, className }: NotShownProps) {
  return (
    <section className={[card.card, className].filter(Boolean).join(' ')}>
      <div className={card.head}>
        <h2>{title}</h2>
      </div>
      <p className={card.summary}>{text}</p>
    </section>
  )
}
