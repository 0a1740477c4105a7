import type { ServerChangeStatistics } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  changesByHourQuery,
  lastDay,
  stoppedByHourQuery,
} from '../../api/queries/recent-changes.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Highlight } from '../../ui/highlight.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonCards } from '../../ui/skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import {
  countByHour,
  endOfHour,
  firstHour,
  searchOf,
  shownKinds,
  type HourCount,
  type ShownKind,
} from './recent-changes.ts'
import styles from './recent-changes-section.module.css'

const timeOf = (at: number) => new Date(at).toISOString()

/** What changed in the last 24 hours: a number and a chart for each kind. */
export function RecentChangesSection() {
  const { overview: t } = useMessages()
  const { number } = useFormat()
  const since = firstHour(useNow())
  const query = useQuery(changesByHourQuery)
  const stopped = useQuery(stoppedByHourQuery)
  const actions = (
    <Link to="/changes" search={{ since: lastDay }}>
      {t.recent.all}
    </Link>
  )
  return (
    <Section title={t.recent.title} actions={actions}>
      <QueryView query={query} skeleton={<SkeletonCards cards={shownKinds.length} height={95} />}>
        {(statistics) => (
          <>
            <p className={styles.summary}>
              {t.recent.summary(statistics.total, number(statistics.total))}{' '}
              {!statistics.is_complete && t.recent.partial}
            </p>
            <ul className={styles.kinds}>
              {shownKinds.map((kind) => (
                <Kind
                  key={kind}
                  kind={kind}
                  statistics={kind === 'stopped' ? stopped.data : statistics}
                  since={since}
                />
              ))}
            </ul>
          </>
        )}
      </QueryView>
    </Section>
  )
}

interface Props {
  readonly kind: ShownKind
  readonly statistics: ServerChangeStatistics | undefined
  readonly since: number
}

function Kind({ kind, statistics, since }: Props) {
  const { overview: t } = useMessages()
  const { number } = useFormat()
  const hours = countByHour(statistics ?? { groups: [] }, kind, since)
  // Also if the request has failed.
  const total = statistics ? number(hours.reduce((sum, { count }) => sum + count, 0)) : '–'
  const name = t.recent.kinds[kind]
  return (
    <li className={styles.kind}>
      <Link
        to="/changes"
        search={{ ...searchOf(kind), since: lastDay }}
        className={styles.figure}
        title={t.recent.show(name, total)}
      >
        <span className={styles.name}>{name}</span>
        <span className={styles.count}>
          <Highlight value={total} />
        </span>
      </Link>
      <Hours kind={kind} hours={hours} />
    </li>
  )
}

/** A bar for each hour. The links repeat the number above, so the keyboard skips them. */
function Hours({
  kind,
  hours,
}: {
  readonly kind: ShownKind
  readonly hours: readonly HourCount[]
}) {
  const { overview: t } = useMessages()
  const { number, hourMinute } = useFormat()
  const most = Math.max(1, ...hours.map(({ count }) => count))
  return (
    <div className={styles.hours} aria-hidden="true">
      {hours.map(({ start, count }, at) => (
        <Link
          key={start}
          to="/changes"
          search={{
            ...searchOf(kind),
            since: at === 0 ? lastDay : timeOf(start),
            until: timeOf(endOfHour(start)),
          }}
          className={styles.hour}
          title={t.recent.hour(hourMinute(start), number(count))}
          tabIndex={-1}
          preload={false}
        >
          <span style={{ blockSize: count === 0 ? 1 : `${Math.max(8, (count / most) * 100)}%` }} />
        </Link>
      ))}
    </div>
  )
}
