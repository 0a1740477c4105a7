import type { Server } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serverChangeDaysQuery } from '../../api/queries/server.ts'
import { useAsOf, useShownTime } from '../../inventory/use-as-of.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { daysUntil, endOfDay, shownDays } from './change-days.ts'
import styles from './change-strip.module.css'

/** A cell for each of the last days up to the moment that is shown. One with changes leads to the server at the end of that day. */
export function ChangeStrip({ server: { id } }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { number, day } = useFormat()
  const { allowed } = usePermission('getServerChangeStatistics')
  const asOf = useAsOf()
  const now = useShownTime()
  const { data } = useQuery({ ...serverChangeDaysQuery(id, shownDays, asOf), enabled: allowed })
  if (!data) return <div className={styles.strip} aria-hidden="true" />
  const days = daysUntil(now, data.groups)
  const most = Math.max(1, ...days.map(({ count }) => count))
  return (
    <figure className={styles.figure} aria-label={t.strip}>
      <ol className={styles.strip}>
        {days.map(({ date, count }) => (
          <li key={date}>
            {count === 0 ? (
              <span title={t.changesOn(day(date), 0, number(0))} />
            ) : (
              <Link
                to="/servers/$id"
                params={{ id }}
                search={{ as_of: endOfDay(date, now) }}
                preload={false}
                title={t.changesOn(day(date), count, number(count))}
                style={{ opacity: 0.4 + 0.6 * (count / most) }}
              >
                <span className="visuallyHidden">
                  {t.changesOn(day(date), count, number(count))}
                </span>
              </Link>
            )}
          </li>
        ))}
      </ol>
      <figcaption>{t.changesIn(data.total, number(data.total), number(shownDays))}</figcaption>
    </figure>
  )
}
