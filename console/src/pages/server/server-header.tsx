import type { Server } from '@muster/contract'
import type { ReactNode } from 'react'
import { FailedTask } from '../../servers/failed-task.tsx'
import { statusTone } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Addresses } from './addresses.tsx'
import { ChangeStrip } from './change-strip.tsx'
import { MissingValue } from './missing-value.tsx'
import { FilterLink } from './filter-link.tsx'
import { Highlight } from '../../ui/highlight.tsx'
import styles from './server.module.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { accountPeriodQuery, serverHistoryQuery } from '../../api/queries/server.ts'
import { isServerStale, syncedAt } from '../../servers/freshness.ts'
import { usePermission } from '../../session/use-permission.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'

interface Props {
  readonly server: Server
  /** The name as a heading. */
  readonly title: ReactNode
  readonly actions: ReactNode
}

/** The name, status, project, location and data age of a server. */
export function ServerHeader({ server, title, actions }: Props) {
  const { server: t } = useMessages()
  const { status } = server
  const { number, size } = useFormat()
  const names = useValueNames()
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        {title}
        <Highlight value={status}>
          <span className={styles.status}>
            <StatusMark tone={statusTone(status)} note={names.apiWord('status', status)}>
              {names.name('status', status)}
            </StatusMark>
            {status === 'unknown' && <span className={styles.soft}>· {t.statusUnknown}</span>}
          </span>
        </Highlight>
        <FailedTask server={server} long />
        {actions}
      </div>
      <dl className={styles.summary}>
        <Entry label={t.id}>
          <Copyable value={server.id} />
        </Entry>
        <Entry label={t.owner}>
          <Trail
            steps={[
              ['project', server.project],
              ['domain', server.project_domain],
            ]}
          />
        </Entry>
        <Entry label={t.where}>
          <Trail
            steps={[
              ['provider', server.provider],
              ['account', server.account],
              ['region', server.region],
              ['zone', server.zone],
            ]}
          />
        </Entry>
        <Entry label={t.addresses}>
          <Addresses list={[server.ips, server.eip].filter(Boolean).join(',')} />
        </Entry>
        <Entry label={t.size}>
          {t.sizeOf(number(server.vcpu_count), size(server.vmem_size), size(server.disk))}
        </Entry>
        <Entry label={t.os}>
          {server.os_name === '' ? <MissingValue is="unknown" /> : <bdi>{server.os_name}</bdi>}
        </Entry>
        <Entry label={t.updated}>
          <LastChange server={server} />
        </Entry>
        <Entry label={t.age}>
          <ServerAge server={server} />
        </Entry>
      </dl>
      <ChangeStrip server={server} />
      <Fate server={server} />
    </header>
  )
}

function Entry({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={styles.entry}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A path of values, each a link to its filter. Unknown values are left out. */
function Trail({ steps }: { readonly steps: readonly (readonly [string, string])[] }) {
  const known = steps.filter(([, value]) => value !== '')
  if (known.length === 0) return <MissingValue is="unknown" />
  return known.map(([name, value], index) => (
    <span key={name}>
      {index > 0 && <span className={styles.soft}> · </span>}
      <FilterLink name={name} value={value} />
    </span>
  ))
}

/** When the server last changed, and who changed it, if that was a person. */
function LastChange({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { data } = useInfiniteQuery(serverHistoryQuery(server.id))
  const [newest] = data?.pages[0]?.events ?? []
  if (!newest) return <TimeAgo time={server.updated_at} never={t.never} />
  return (
    <>
      <TimeAgo time={newest.time} />
      {newest.user !== '' && newest.user_id !== '' && (
        <>
          {' · '}
          <bdi>{newest.user}</bdi>
        </>
      )}
    </>
  )
}

/** A note that a server is deleted or in the recycle bin. */
function Fate({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { dateTime } = useFormat()
  const { deleted, pending_deleted: isInBin, auto_delete_at: end } = server
  if (!deleted && !isInBin) return null
  return (
    <div className={styles.fate} role="note">
      <strong>{deleted ? t.gone : t.inRecycleBin}</strong>{' '}
      {deleted ? t.goneText : end !== null && t.inRecycleBinText(dateTime(end))}
    </div>
  )
}

/** The data age: the time of the last full sync. */
function ServerAge({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const now = useNow()
  const canAsk = usePermission('getCloudAccount').allowed && server.account_id !== ''
  const { data: period } = useQuery({ ...accountPeriodQuery(server.account_id), enabled: canAsk })
  const time = syncedAt(server)
  if (!isServerStale(server, now, period)) return <TimeAgo time={time} never={t.never} />
  return (
    <span className={styles.stale} title={t.stale}>
      <span aria-hidden="true">▲ </span>
      <TimeAgo time={time} never={t.never} />
      <span className="visuallyHidden"> ({t.stale})</span>
    </span>
  )
}
