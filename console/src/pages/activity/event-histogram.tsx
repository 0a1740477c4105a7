import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { eventBars, type EventBar } from '../../api/event-bars.ts'
import type { EventFilters } from '../../api/event-filters.ts'
import { eventStatisticsQuery } from '../../api/queries/events.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './activity.module.css'

const timeOf = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** How many events there were in each hour or day, of which some were not successful. */
export function EventHistogram({ filters }: { readonly filters: EventFilters }) {
  const { activity: t } = useMessages()
  const { number, dateTime } = useFormat()
  const { data } = useQuery(eventStatisticsQuery(filters))
  // The list below tells of errors.
  if (!data) return <div className={styles.histogram} aria-hidden="true" />
  const { range, statistics } = data
  const { total, groups, counted_since: since } = statistics
  const bars = eventBars(range, groups)
  const failed = groups.reduce((sum, group) => sum + group.failed, 0)
  const from = dateTime(new Date(range.from).toISOString())
  return (
    <figure className={styles.histogram}>
      <Bars bars={bars} filters={filters} isDaily={range.interval === 'day'} />
      <figcaption className={styles.soft}>
        {t.counted(total, number(total), since === null ? from : dateTime(since))}
        {failed > 0 && ` · ${t.notDone(number(failed))}`}
      </figcaption>
    </figure>
  )
}

interface BarsProps {
  readonly bars: readonly EventBar[]
  readonly filters: EventFilters
  readonly isDaily: boolean
}

/** The links repeat the filter of the time, so the keyboard skips them. */
function Bars({ bars, filters, isDaily }: BarsProps) {
  const { activity: t } = useMessages()
  const { number, localDay, hourMinute } = useFormat()
  const { last: _, ...others } = filters
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const height = (count: number) => `${(count / most) * 100}%`
  return (
    <div className={styles.bars} aria-hidden="true">
      {bars.map(({ start, end, count, failed }) => (
        <Link
          key={start}
          to="/activity"
          search={{ ...others, since: timeOf(start), before: timeOf(end) }}
          className={styles.bar}
          title={t.bar(
            isDaily ? localDay(start) : `${localDay(start)} ${hourMinute(start)}`,
            count,
            number(count),
            number(failed),
          )}
          tabIndex={-1}
          preload={false}
        >
          <span style={{ blockSize: height(failed) }} className={styles.failed} />
          <span style={{ blockSize: height(count - failed) }} />
        </Link>
      ))}
    </div>
  )
}
