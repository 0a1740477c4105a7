import type { Server } from '@muster/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { actionName } from '../../actions/server-action.ts'
import { TaskStatus } from '../../actions/task-status.tsx'
import {
  accountPeriodQuery,
  operatingSystemQuery,
  serverHistoryQuery,
  violatedChecksQuery,
} from '../../api/queries/server.ts'
import { openTaskQuery } from '../../api/queries/tasks.ts'
import { isUnfinishedTask } from '../../api/tracked-tasks.ts'
import { ResourceLink } from '../../inventory/resource-link.tsx'
import type { InventoryKind } from '../../inventory/kinds.ts'
import { useAsOf, useShownTime } from '../../inventory/use-as-of.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { checkText } from '../../servers/check-text.ts'
import { isServerStale, syncedAt } from '../../servers/freshness.ts'
import { severityTones } from '../../servers/severity.tsx'
import { ownerOf } from '../../servers/tags.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark, StatusShape } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { Addresses } from './addresses.tsx'
import { EventAuthor } from './event-author.tsx'
import { FilterLink } from './filter-link.tsx'
import { isLastKnown } from './last-known-note.tsx'
import { MissingValue } from './missing-value.tsx'
import styles from './server.module.css'

interface Props {
  readonly server: Server
}

/** The most important properties. Those of now, such as an open task, are left out of the past. */
export function ServerSummary({ server }: Props) {
  const { server: t } = useMessages()
  const { number, size } = useFormat()
  const isNow = useAsOf() === undefined
  const owner = ownerOf(server.metadata)
  return (
    <dl className={styles.summary}>
      {isNow && <ViolatedChecks server={server} />}
      {isNow && <OpenTask server={server} />}
      <Entry label={t.addresses}>
        <span className={styles.inline}>
          <Addresses list={[server.ips, server.eip].filter(Boolean).join(',')} />
          {isLastKnown(server) && (
            <span className={styles.soft} title={t.lastKnown}>
              {t.lastKnownShort}
            </span>
          )}
        </span>
      </Entry>
      {owner !== '' && (
        <Entry label={t.owner}>
          <bdi>{owner}</bdi>
        </Entry>
      )}
      <Entry label={t.project}>
        <Trail
          steps={[
            { name: 'project', value: server.project },
            { name: 'domain', value: server.project_domain },
          ]}
        />
      </Entry>
      <Entry label={t.where}>
        <Trail
          steps={[
            { name: 'provider', value: server.provider },
            { name: 'account', value: server.account },
            {
              name: 'region',
              value: server.region,
              page: { kind: 'cloudregions', id: server.cloudregion_id },
            },
            { name: 'zone', value: server.zone, page: { kind: 'zones', id: server.zone_id } },
          ]}
        />
      </Entry>
      <Entry label={t.size}>
        {t.sizeOf(number(server.vcpu_count), size(server.vmem_size), size(server.disk))}
      </Entry>
      <Entry label={t.os}>
        <OperatingSystem server={server} />
      </Entry>
      <Entry label={t.updated}>
        {isNow ? <LastChange server={server} /> : <TimeAgo time={server.updated_at} />}
      </Entry>
      <Entry label={t.age}>
        <ServerAge server={server} />
      </Entry>
      <Entry label={t.id}>
        <Copyable value={server.id} />
      </Entry>
    </dl>
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

interface Step {
  /** The filter key. */
  readonly name: string
  readonly value: string
  /** The page of what the value names, unless the id is empty. */
  readonly page?: { readonly kind: InventoryKind; readonly id: string }
}

/** A path of values, such as provider, account and region. Unknown values are left out. */
function Trail({ steps }: { readonly steps: readonly Step[] }) {
  const names = useValueNames()
  const known = steps.filter(({ value }) => value !== '')
  if (known.length === 0) return <MissingValue is="unknown" />
  return (
    <span className={styles.trail}>
      {known.map(({ name, value, page }) => (
        <FilterLink key={name} name={name} value={value}>
          {page && page.id !== '' && (
            <ResourceLink {...page}>{names.name(name, value)}</ResourceLink>
          )}
        </FilterLink>
      ))}
    </span>
  )
}

function ViolatedChecks({ server }: Props) {
  const messages = useMessages()
  const { allowed } = usePermission('listChecks')
  const { data: checks } = useQuery({ ...violatedChecksQuery(server.id), enabled: allowed })
  if (checks === undefined || checks.length === 0) return null
  return (
    <Entry label={messages.server.violates}>
      <ul className={styles.inline}>
        {checks.map((check) => (
          <li key={check.id}>
            <Link to="/checks/$id" params={{ id: check.id }} preload={false}>
              <StatusMark tone={severityTones[check.severity]}>
                {checkText(messages, check).name}
              </StatusMark>
            </Link>
          </li>
        ))}
      </ul>
    </Entry>
  )
}

/** The task that waits or runs, with its progress. */
function OpenTask({ server }: Props) {
  const { server: t, actions } = useMessages()
  const { allowed } = usePermission('getTask')
  const { 'sys:task_id': taskId = '' } = server.metadata
  const { data: task } = useQuery({ ...openTaskQuery(taskId), enabled: allowed && taskId !== '' })
  if (!task || !isUnfinishedTask(task)) return null
  return (
    <Entry label={t.openTask}>
      <span className={styles.inline}>
        <Link to="/servers/$id/$tab" params={{ id: server.id, tab: 'tasks' }} preload={false}>
          {actions.names[actionName(task.action, task.params)]}
        </Link>
        <TaskStatus of={task} />
        <span className={styles.soft}>{task.progress}%</span>
      </span>
    </Entry>
  )
}

/** The operating system, and until when its vendor supports it, if that is known. */
function OperatingSystem({ server: { os_name: name } }: Props) {
  const { server: t } = useMessages()
  const { day } = useFormat()
  const today = new Date(useShownTime()).toISOString().slice(0, 10)
  const { data: support } = useQuery({ ...operatingSystemQuery(name), enabled: name !== '' })
  if (name === '') return <MissingValue is="unknown" />
  return (
    <span className={styles.inline}>
      <FilterLink name="os_name" value={name} />
      {support && support.supported_until < today && (
        <StatusMark tone="bad">{t.supportEnded(day(support.supported_until))}</StatusMark>
      )}
      {support && support.supported_until >= today && (
        <span className={styles.soft}>{t.supportedUntil(day(support.supported_until))}</span>
      )}
    </span>
  )
}

/** When the server last changed, and who changed it. */
function LastChange({ server }: Props) {
  const { server: t } = useMessages()
  const { data } = useInfiniteQuery(serverHistoryQuery(server.id))
  const [newest] = data?.pages[0]?.events ?? []
  if (!newest) return <TimeAgo time={server.updated_at} never={t.never} />
  return (
    <>
      <TimeAgo time={newest.time} /> · <EventAuthor event={newest} />
    </>
  )
}

/** The data age: the time of the last full sync. */
function ServerAge({ server }: Props) {
  const { server: t } = useMessages()
  const now = useShownTime()
  const canAsk = usePermission('getCloudAccount').allowed && server.account_id !== ''
  const { data: period } = useQuery({ ...accountPeriodQuery(server.account_id), enabled: canAsk })
  const time = syncedAt(server)
  if (!isServerStale(server, now, period)) return <TimeAgo time={time} never={t.never} />
  return (
    <span className={styles.stale} title={t.stale}>
      <StatusShape tone="bad" />
      <TimeAgo time={time} never={t.never} />
      <span className="visuallyHidden"> ({t.stale})</span>
    </span>
  )
}
