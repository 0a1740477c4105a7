import { isApiError } from '@muster/sdk'
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, type ComponentType } from 'react'
import { Link } from '@tanstack/react-router'
import type { Server } from '@muster/contract'
import { serverQuery } from '../../api/queries/server.ts'
import { useAsOf, useShowMoment } from '../../inventory/use-as-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonProperties } from '../../ui/skeleton.tsx'
import { ServerActions } from './server-actions.tsx'
import { ServerHeader } from './server-header.tsx'
import { ServerTabs } from './server-tabs.tsx'
import styles from './server.module.css'
import type { TabName } from './tabs.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { api } from '../../api/client.ts'
import { showToast } from '../../ui/show-toast.ts'
import { DevicesTab } from './devices-tab.tsx'
import { DisksTab } from './disks-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { JsonTab } from './json-tab.tsx'
import { NetworkTab } from './network-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { TagsTab } from './tags-tab.tsx'
import { TaskList } from '../../actions/task-list.tsx'
import { useTaskColumns } from '../../actions/use-task-columns.tsx'
import { serverTasksQuery } from '../../api/queries/tasks.ts'

/** The tasks of a server. */
function TasksTab({ server }: { readonly server: Server }) {
  const { tasks: t, past } = useMessages()
  const columns = useTaskColumns(undefined, true)
  const show = useShowMoment()
  // They have their state of now, and can be tried again.
  if (useAsOf() !== undefined) {
    return (
      <EmptyState
        title={t.onlyNow}
        actions={<Button onClick={() => show(undefined)}>{past.back}</Button>}
      >
        {t.onlyNowText}
      </EmptyState>
    )
  }
  return (
    <TaskList
      query={serverTasksQuery(server.id)}
      caption={t.title}
      columns={columns}
      empty={<EmptyState title={t.empty}>{t.noneOfServerText}</EmptyState>}
    />
  )
}

interface Props {
  readonly id: string
  readonly tab: TabName
  readonly onTab?: (tab: TabName) => void
  /** Renders the heading. */
  readonly title: (name: string) => ReactNode
}

/** The full view of a server, used by its page and by the panel. */
export function ServerView({ id, tab, onTab, title }: Props) {
  const { server: t } = useMessages()
  const { isPollingFast, pollFast } = useFastPolling()
  const asOf = useAsOf()
  const query = useQuery(serverQuery(id, isPollingFast, asOf))
  const sync = useSyncServer(id, pollFast)
  return (
    <div className={styles.view}>
      {query.data === undefined && <div className={styles.title}>{title(t.title)}</div>}
      <QueryView
        query={query}
        skeleton={<SkeletonProperties hasTabs />}
        failure={(error) => isApiError(error) && error.status === 404 && <ServerNotFound />}
      >
        {(server) => (
          <>
            <ServerHeader
              server={server}
              title={title(server.name)}
              actions={
                asOf === undefined && (
                  <ServerActions
                    server={server}
                    isSyncing={sync.isPending}
                    onSync={() => sync.mutate()}
                    onTab={onTab}
                  />
                )
              }
            />
            {sync.error && <ErrorNotice error={sync.error} onRetry={() => sync.mutate()} />}
            <ServerTabs server={server} tab={tab} onTab={onTab} />
            <TabContent server={server} tab={tab} />
          </>
        )}
      </QueryView>
    </div>
  )
}

/** The API does not reveal whether a server exists in another project. */
function ServerNotFound() {
  const { server: t } = useMessages()
  return (
    <EmptyState
      title={t.notFound}
      actions={
        <Link to="/servers" className={buttonClass('primary')}>
          {t.toServers}
        </Link>
      }
    >
      {t.notFoundText}
    </EmptyState>
  )
}

const fastPollingTime = 30_000

/** Polls fast for half a minute after `pollFast`. */
function useFastPolling(): {
  readonly isPollingFast: boolean
  readonly pollFast: () => void
} {
  const [since, setSince] = useState<number>()
  useEffect(() => {
    if (since === undefined) return
    const timer = setTimeout(() => setSince(undefined), fastPollingTime)
    return () => clearTimeout(timer)
  }, [since])
  return { isPollingFast: since !== undefined, pollFast: () => setSince(Date.now()) }
}

/** Syncs one server. `onWait` is called if the result comes later. */
function useSyncServer(id: string, onWait: () => void) {
  const { server: t } = useMessages()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api.request('syncServer', { parameters: { id } }),
    async onSuccess({ body }) {
      if (body === undefined) onWait()
      else queryClient.setQueryData(serverQuery(id).queryKey, body.server)
      showToast(body === undefined ? t.syncing : t.synced)
      await queryClient.invalidateQueries({ queryKey: ['servers', 'history', id] })
    },
  })
}

const contents: Readonly<Record<TabName, ComponentType<{ readonly server: Server }>>> = {
  overview: OverviewTab,
  network: NetworkTab,
  disks: DisksTab,
  security: SecurityTab,
  devices: DevicesTab,
  tags: TagsTab,
  history: HistoryTab,
  tasks: TasksTab,
  json: JsonTab,
}

interface TabContentProps {
  readonly server: Server
  readonly tab: TabName
}

function TabContent({ server, tab }: TabContentProps) {
  const Content = contents[tab]
  return <Content server={server} />
}
