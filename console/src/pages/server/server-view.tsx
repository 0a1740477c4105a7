import { isApiError } from '@muster/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serverQuery } from '../../api/queries/server.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { ServerNotFound } from './server-not-found.tsx'
import { ServerActions } from './server-actions.tsx'
import { ServerHeader } from './server-header.tsx'
import { ServerTabs } from './server-tabs.tsx'
import styles from './server.module.css'
import { TabContent } from './tab-content.tsx'
import type { TabName } from './tabs.ts'
import { useFastPolling } from './use-fast-polling.ts'
import { useSyncServer } from './use-sync-server.ts'

interface Props {
  readonly id: string
  readonly tab: TabName
  readonly onTab?: (tab: TabName) => void
  /** The heading for a name. */
  readonly title: (name: string) => ReactNode
}

/** A server, whole: the same on its own page and in a panel beside a list. */
export function ServerView({ id, tab, onTab, title }: Props) {
  const { server: t } = useMessages()
  const { isPollingFast, pollFast } = useFastPolling()
  const query = useQuery(serverQuery(id, isPollingFast))
  const sync = useSyncServer(id, pollFast)
  return (
    <div className={styles.view}>
      {query.data === undefined && <div className={styles.title}>{title(t.title)}</div>}
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={14} />}
        failure={(error) => isApiError(error) && error.status === 404 && <ServerNotFound />}
      >
        {(server) => (
          <>
            <ServerHeader
              server={server}
              title={title(server.name)}
              actions={
                <ServerActions
                  server={server}
                  isSyncing={sync.isPending}
                  onSync={() => sync.mutate()}
                  onTab={onTab}
                />
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
