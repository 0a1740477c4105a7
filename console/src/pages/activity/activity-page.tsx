import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { readEventFilters, toEventQuery } from '../../api/event-filters.ts'
import { exportFormat, saveExport } from '../../api/save-export.ts'
import { eventsQuery, newestEventsQuery } from '../../api/queries/events.ts'
import { rowsOf } from '../../api/query-result.ts'
import { useSession } from '../../session/use-session.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import styles from './activity.module.css'
import { countNew } from './count-new.ts'
import { EventFilterBar } from './event-filter-bar.tsx'
import { EventHistogram } from './event-histogram.tsx'
import { withoutBeginnings } from './describe-event.ts'
import { useEventColumns } from './use-event-columns.tsx'

export function ActivityPage() {
  const t = useMessages()
  const format = useFormat()
  const navigate = useNavigate()
  const { permissions } = useSession()
  const filters = readEventFilters(useSearch({ strict: false }))
  const list = useInfiniteQuery(eventsQuery(filters))
  const query = rowsOf(list, (page) => page.events)
  const events = query.data ?? []
  const newest = useQuery({ ...newestEventsQuery(filters), enabled: list.isSuccess })
  const fresh = list.isSuccess && newest.data ? countNew(newest.data, events[0]?.id) : 0
  const change = (search: Readonly<Record<string, string | undefined>>) =>
    void navigate({ to: '/activity', search })
  const columns = useEventColumns((narrower) => change({ ...filters, ...narrower }))
  const isOwnOnly = permissions.some(
    ({ operation, reach }) => operation === 'listEvents' && reach === 'self',
  )
  const isNarrowed = Object.keys(filters).length > 0
  const clear = isNarrowed ? (
    <Button onClick={() => change({})}>{t.activity.clear}</Button>
  ) : undefined

  return (
    <Page
      title={t.activity.title}
      lead={isOwnOnly ? `${t.activity.lead} ${t.activity.onlyOwn}` : t.activity.lead}
      aside={
        <>
          <ScopeLabel operation="listEvents" />
          <ExportMenu
            heading={t.activity.exportAll}
            onExport={async (kind) => {
              const query = { ...toEventQuery(filters, Date.now()), format: exportFormat(kind) }
              await saveExport(await api.stream('listEvents', { query }), 'events', kind)
            }}
          />
          <Button
            icon="refresh"
            busy={list.isRefetching && !list.isFetchingNextPage}
            onClick={() => void list.refetch()}
          >
            {t.common.refresh}
          </Button>
        </>
      }
    >
      <EventFilterBar filters={filters} onChange={change} />
      <EventHistogram filters={filters} />
      <div role="status" className={styles.fresh}>
        {fresh > 0 && (
          <Button small icon="up" onClick={() => void list.refetch()}>
            {t.activity.newOnes(fresh, format.number(fresh))}
          </Button>
        )}
      </div>
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={12} />}
        empty={
          <EmptyState
            title={isNarrowed ? t.activity.noMatch : t.activity.empty}
            {...(clear && { actions: clear })}
          >
            {isNarrowed ? t.activity.noMatchText : t.activity.emptyText}
          </EmptyState>
        }
      >
        {(rows) => (
          <>
            <Table
              caption={t.activity.title}
              columns={columns}
              rows={withoutBeginnings(rows, filters.result)}
              rowKey={({ id }) => id}
            />
            <div className={styles.more}>
              {list.hasNextPage && (
                <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {t.common.more}
                </Button>
              )}
              <span role="status">
                {list.hasNextPage || isNarrowed
                  ? t.activity.loaded(format.number(rows.length))
                  : t.activity.end}
              </span>
            </div>
          </>
        )}
      </QueryView>
    </Page>
  )
}
