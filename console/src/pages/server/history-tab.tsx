import { useInfiniteQuery } from '@tanstack/react-query'
import type { Server } from '@muster/contract'
import { serverHistoryQuery } from '../../api/queries/server.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { groupByDay, localDate } from './group-by-day.ts'
import { HistoryEvent } from './history-event.tsx'
import styles from './history.module.css'

const day = 86_400_000

export function HistoryTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const format = useFormat()
  const now = useNow()
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    serverHistoryQuery(server.id),
  )
  const retry = () => void refetch()
  if (!data) return error ? <ErrorNotice error={error} onRetry={retry} /> : <SkeletonRows />
  const events = data.pages.flatMap((page) => page.events)
  if (events.length === 0) return <EmptyState title={t.noEvents}>{t.noEventsText}</EmptyState>
  const named: Readonly<Record<string, string>> = {
    [localDate(now)]: t.today,
    [localDate(now - day)]: t.yesterday,
  }
  return (
    <div className={styles.history}>
      {error && <ErrorNotice error={error} onRetry={retry} />}
      {groupByDay(events).map(({ date, items }) => (
        <section key={date} aria-label={named[date] ?? format.day(date)}>
          <h2>
            {named[date] ?? format.day(date)}
            {named[date] !== undefined && <span className={styles.soft}> {format.day(date)}</span>}
          </h2>
          <ol>
            {items.map((event) => (
              <HistoryEvent key={event.id} event={event} />
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage ? (
        <div>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t.showMore}
          </Button>
        </div>
      ) : (
        <p className={styles.soft}>{t.wholeHistory}</p>
      )}
    </div>
  )
}
