import { useInfiniteQuery } from '@tanstack/react-query'
import type { Server } from '@muster/contract'
import { serverHistoryQuery } from '../../api/queries/server.ts'
import { rowsOf } from '../../api/query-result.ts'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { groupByDay, localDate } from './group-by-day.ts'
import { HistoryEvent } from './history-event.tsx'
import styles from './history.module.css'
import { withoutRepeats } from './without-repeats.ts'

const day = 86_400_000

export function HistoryTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const format = useFormat()
  const now = useNow()
  const words = useChangeWords()
  const list = useInfiniteQuery(serverHistoryQuery(server.id, useAsOf()))
  const named: Readonly<Record<string, string>> = {
    [localDate(now)]: t.today,
    [localDate(now - day)]: t.yesterday,
  }
  return (
    <QueryView
      query={rowsOf(list, (page) => page.events)}
      skeleton={<SkeletonRows isPlain />}
      empty={<EmptyState title={t.noEvents}>{t.noEventsText}</EmptyState>}
    >
      {(events) => (
        <div className={styles.history}>
          {groupByDay(withoutRepeats(events)).map(({ date, items }) => (
            <section key={date} aria-label={named[date] ?? format.day(date)}>
              <h2>
                {named[date] ?? format.day(date)}
                {named[date] !== undefined && (
                  <span className={styles.soft}> {format.day(date)}</span>
                )}
              </h2>
              <ol>
                {items.map((event) => (
                  <HistoryEvent key={event.id} event={event} words={words} />
                ))}
              </ol>
            </section>
          ))}
          {list.hasNextPage ? (
            <div>
              <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t.showMore}
              </Button>
            </div>
          ) : (
            <p className={styles.soft}>{t.wholeHistory}</p>
          )}
        </div>
      )}
    </QueryView>
  )
}
