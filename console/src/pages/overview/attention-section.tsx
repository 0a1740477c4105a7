import type { ServerStatistics } from '@muster/contract'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useConnection } from '../../api/connection.ts'
import { allAccountsQuery } from '../../api/queries/accounts.ts'
import { checksQuery } from '../../api/queries/checks.ts'
import { newestEventsQuery } from '../../api/queries/events.ts'
import { neglectedAccountsQuery } from '../../api/queries/relations.ts'
import { failedTasksQuery } from '../../api/queries/tasks.ts'
import { ServersLink } from '../../charts/servers-link.tsx'
import { renderTerm } from '../../filter/terms.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { checkText } from '../../servers/check-text.ts'
import { statusesIn } from '../../servers/status.ts'
import { usePermissions } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useAccountActions } from '../../servers/use-account-actions.ts'
import { Severity } from '../../servers/severity.tsx'
import { attentionOf, type Attention } from './attention.ts'
import styles from './attention-section.module.css'

const day = 86_400_000
const mostShown = 8

const breakGlassLogins = { action: 'break_glass_login', last: '24h' } as const

const failedTerm = renderTerm('status', statusesIn.failed)

/** Rounded, so that the same request is repeated. */
const failedSince = (now: number) => {
  const hour = 3_600_000
  return new Date(Math.floor((now - day) / hour) * hour).toISOString()
}

interface Props {
  readonly query: UseQueryResult<ServerStatistics>
  /** There are no servers: the section appears only if something is wrong. */
  readonly isEmpty?: boolean
}

/** Violated checks, accounts that fail, failed servers and tasks, break-glass logins, neglected service accounts, the most severe first. */
export function AttentionSection({ query, isEmpty = false }: Props) {
  const { overview: t } = useMessages()
  const { number, clock } = useFormat()
  const now = useNow()
  const permission = usePermissions()
  const { isConnected } = useConnection()
  const checks = useQuery({ ...checksQuery, enabled: permission('listChecks').allowed })
  const accounts = useQuery({
    ...allAccountsQuery,
    enabled: permission('listCloudAccounts').allowed,
  })
  const tasks = useQuery({
    ...failedTasksQuery(failedSince(now)),
    enabled: permission('listTasks').allowed,
  })
  const logins = useQuery({
    ...newestEventsQuery(breakGlassLogins),
    enabled: permission('listEvents').allowed,
  })
  const programs = useQuery({
    ...neglectedAccountsQuery,
    enabled: permission('listUsers').allowed,
  })
  const sources = [checks, accounts, tasks, logins, programs, query]
  const inStatuses = query.data?.groups['status'] ?? []
  const failed = new Set<string>(statusesIn.failed)
  const items = attentionOf(
    {
      checks: checks.data ?? [],
      accounts: accounts.data ?? [],
      failedServers: inStatuses
        .filter(({ value }) => failed.has(String(value)))
        .reduce((sum, { count }) => sum + count, 0),
      failedTasks: tasks.data ?? 0,
      breakGlassLogins: logins.data?.length ?? 0,
      serviceAccounts: programs.data ?? 0,
    },
    now,
  )
  const isLoading = sources.some(({ isLoading: loads }) => loads)
  const broken = sources.find(({ error, data }) => error !== null && data === undefined)
  if (isEmpty && items.length === 0) return null
  const all = (
    <Link to="/checks" className={styles.all}>
      {t.attention.allChecks}
    </Link>
  )
  return (
    <Section title={t.attention.title} {...(checks.isSuccess && { actions: all })}>
      {isLoading && items.length === 0 ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          {items.length > 0 && <Items items={items} />}
          {!isConnected && query.data && (
            <p className={styles.fine}>{t.attention.lastKnown(clock(query.dataUpdatedAt))}</p>
          )}
          {items.length === 0 && !broken && isConnected && (
            <p className={styles.fine}>
              <StatusMark tone="good">{t.attention.nothing}</StatusMark>
              <span>
                {t.attention.looked(
                  checks.data?.filter(({ enabled }) => enabled).length ?? 0,
                  number(accounts.data?.length ?? 0),
                )}
              </span>
            </p>
          )}
          {broken && <ErrorNotice error={broken.error} onRetry={() => void broken.refetch()} />}
        </>
      )}
    </Section>
  )
}

function Items({ items }: { readonly items: readonly Attention[] }) {
  const { overview: t } = useMessages()
  const { number } = useFormat()
  const rest = items.slice(mostShown)
  const rows = (some: readonly Attention[]) => (
    <ul className={styles.list}>
      {some.map((item) => (
        <Item key={keyOf(item)} item={item} />
      ))}
    </ul>
  )
  return (
    <>
      {rows(items.slice(0, mostShown))}
      {rest.length > 0 && (
        <details className={styles.rest}>
          <summary>{t.attention.more(rest.length, number(rest.length))}</summary>
          {rows(rest)}
        </details>
      )}
    </>
  )
}

function keyOf(item: Attention): string {
  if (item.kind === 'check') return item.check.id
  return item.kind === 'account' ? item.account.id : item.kind
}

interface RowProps {
  readonly item: Attention
  readonly title: ReactNode
  readonly reason: ReactNode
  readonly action?: ReactNode
}

function Row({ item, title, reason, action }: RowProps) {
  return (
    <li className={styles.item}>
      <Severity severity={item.severity} />
      <span className={styles.title}>{title}</span>
      <span className={styles.reason}>{reason}</span>
      <span className={styles.action}>{action}</span>
    </li>
  )
}

function Item({ item }: { readonly item: Attention }) {
  const messages = useMessages()
  const { number } = useFormat()
  const now = useNow()
  const t = messages.overview.attention
  if (item.kind === 'account') return <AccountItem item={item} />
  if (item.kind === 'check') {
    const { check } = item
    const { name, description } = checkText(messages, check)
    return (
      <Row
        item={item}
        title={
          <Link to="/checks/$id" params={{ id: check.id }}>
            {t.violated(name, number(check.violations))}
          </Link>
        }
        reason={description}
      />
    )
  }
  if (item.kind === 'servers') {
    return (
      <Row
        item={item}
        title={
          <ServersLink q={failedTerm}>{t.servers(item.count, number(item.count))}</ServersLink>
        }
        reason={t.serversReason}
      />
    )
  }
  if (item.kind === 'programs') {
    return (
      <Row
        item={item}
        title={
          <Link to="/identity/$kind" params={{ kind: 'users' }} search={{ only: 'attention' }}>
            {t.programs(item.count, number(item.count))}
          </Link>
        }
        reason={t.programsReason}
      />
    )
  }
  if (item.kind === 'logins') {
    return (
      <Row
        item={item}
        title={
          <Link to="/activity" search={breakGlassLogins}>
            {t.logins(item.count, number(item.count))}
          </Link>
        }
        reason={t.loginsReason}
      />
    )
  }
  return (
    <Row
      item={item}
      title={
        <Link to="/tasks" search={{ status: 'failed', since: failedSince(now) }}>
          {t.tasks(item.count, number(item.count))}
        </Link>
      }
      reason={t.tasksReason}
    />
  )
}

function AccountItem({ item }: { readonly item: Extract<Attention, { kind: 'account' }> }) {
  const { overview: t, accounts } = useMessages()
  const { sync, syncReason } = useAccountActions()
  const { account, freshness } = item
  return (
    <Row
      item={item}
      title={
        <>
          <Link to="/accounts/$id" params={{ id: account.id }}>
            {account.name}
          </Link>
          {`: ${t.accounts.states[freshness]}`}
        </>
      }
      reason={
        <>
          {account.sync.error || accounts.statusHints[account.status]} {t.attention.lastSync}{' '}
          <TimeAgo time={account.sync.finished_at} never={t.accounts.never} />
        </>
      }
      action={
        <Button
          small
          busy={sync.isPending}
          disabledReason={syncReason(account)}
          onClick={() => sync.mutate(account)}
        >
          {accounts.syncNow}
        </Button>
      }
    />
  )
}
