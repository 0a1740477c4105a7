import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { TimeControl } from '../../inventory/time-control.tsx'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { useConnection } from '../../api/connection.ts'
import { viewOf } from '../../api/query-result.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { tabClass, Tabs } from '../../ui/tabs.tsx'
import { AttentionSection } from './attention-section.tsx'
import { EmptyFleet } from './empty-fleet.tsx'
import { breakdowns, fleetQuery, readBreakdown } from './fleet-query.ts'
import { GroupCard } from './group-card.tsx'
import { GrowthCard } from './growth-card.tsx'
import { KeyFigures } from './key-figures.tsx'
import styles from './overview-page.module.css'
import { RecentChangesSection } from './recent-changes-section.tsx'

/** What needs attention, what changed, and the servers in figures. */
export function OverviewPage() {
  const t = useMessages()
  const { allowed, reason } = usePermission('getServerStatistics')
  if (allowed) return <Fleet />
  return (
    <Page title={t.overview.title}>
      <NotAllowed title={t.overview.notAllowed} reason={reason} />
    </Page>
  )
}

function Fleet() {
  const t = useMessages()
  const { clock } = useFormat()
  const client = useQueryClient()
  const by = readBreakdown(useSearch({ strict: false })['by'])
  const asOf = useAsOf()
  const query = useQuery(fleetQuery(by, asOf))
  const { data, isFetching, dataUpdatedAt } = query
  const { isConnected } = useConnection()
  const changes = usePermission('getServerChanges')
  const view = viewOf(query, isConnected, ({ total }) => total.count === 0)

  async function refresh() {
    await Promise.all(
      [['servers'], ['accounts'], ['checks'], ['tasks']].map((queryKey) =>
        client.refetchQueries({ queryKey, type: 'active' }),
      ),
    )
  }

  return (
    <Page
      title={t.overview.title}
      aside={
        <>
          <ScopeLabel operation="getServerStatistics" />
          <TimeControl />
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
      <PastNotice />
      {view.kind === 'empty' && asOf === undefined ? (
        <>
          <AttentionSection query={query} isEmpty />
          <EmptyFleet />
        </>
      ) : (
        <>
          {asOf === undefined && <AttentionSection query={query} />}
          {asOf === undefined && changes.allowed && <RecentChangesSection />}
          <Section title={t.overview.fleet.title}>
            <KeyFigures query={query} />
            <Tabs label={t.overview.fleet.by}>
              {breakdowns.map((name) => (
                <Link
                  key={name}
                  to="/"
                  search={name === 'status' ? {} : { by: name }}
                  className={tabClass}
                  aria-current={name === by ? 'page' : undefined}
                  resetScroll={false}
                  replace
                >
                  {t.overview[name].column}
                </Link>
              ))}
            </Tabs>
            <div className={styles.room}>
              <div className={styles.cards}>
                <GroupCard field={by} query={query} />
                {asOf === undefined && <GrowthCard />}
              </div>
            </div>
          </Section>
        </>
      )}
    </Page>
  )
}
