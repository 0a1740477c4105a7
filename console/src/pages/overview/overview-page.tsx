import { useQuery, useQueryClient } from '@tanstack/react-query'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useConnection } from '../../api/connection.ts'
import { viewOf } from '../../api/query-result.ts'
import { Page } from '../../ui/page.tsx'
import { AccountsCard } from './accounts-card.tsx'
import { EmptyFleet } from './empty-fleet.tsx'
import { fleetQuery } from './fleet-query.ts'
import { GroupCard } from './group-card.tsx'
import { GrowthCard } from './growth-card.tsx'
import { KeyFigures } from './key-figures.tsx'
import styles from './overview-page.module.css'
import { ProviderStatusCard } from './provider-status-card.tsx'

/** Figures and charts of all servers. Each one links to its servers. */
export function OverviewPage() {
  const t = useMessages()
  const { allowed, reason } = usePermission('getServerStatistics')
  if (allowed) return <Fleet />
  return (
    <Page title={t.overview.title}>
      <EmptyState title={t.overview.notAllowed}>{reason}</EmptyState>
    </Page>
  )
}

function Fleet() {
  const t = useMessages()
  const { clock } = useFormat()
  const client = useQueryClient()
  const query = useQuery(fleetQuery)
  const { data, isFetching, dataUpdatedAt } = query
  const { isConnected } = useConnection()
  const view = viewOf(query, isConnected, ({ total }) => total.count === 0)

  async function refresh() {
    await Promise.all(
      [['servers'], ['accounts']].map((queryKey) =>
        client.refetchQueries({ queryKey, type: 'active' }),
      ),
    )
  }

  return (
    <Page
      title={t.overview.title}
      aside={
        <>
          {data && (
            <span className={styles.updated}>{t.common.updatedAt(clock(dataUpdatedAt))}</span>
          )}
          <Button
            small
            look="quiet"
            icon="refresh"
            label={t.common.refresh}
            busy={isFetching}
            onClick={() => void refresh()}
          />
        </>
      }
    >
      {view.kind === 'empty' ? (
        <EmptyFleet />
      ) : (
        <>
          <KeyFigures query={query} />
          <div className={styles.room}>
            <div className={styles.cards}>
              <GrowthCard className={styles.half} />
              <ProviderStatusCard className={styles.half} />
              <GroupCard field="status" query={query} className={styles.third} />
              <GroupCard field="region" query={query} className={styles.third} />
              <GroupCard field="project" query={query} className={styles.third} />
              <AccountsCard className={styles.whole} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}
