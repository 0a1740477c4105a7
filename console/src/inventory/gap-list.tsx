import { useQuery } from '@tanstack/react-query'
import { allAccountsQuery } from '../api/queries/accounts.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { usePermission } from '../session/use-permission.ts'
import styles from './past-notice.module.css'
import type { Gap } from './read-gaps.ts'
import { StatusShape } from '../ui/status-mark.tsx'

/** The accounts that were not observed, and when. */
export function GapList({ gaps }: { readonly gaps: readonly Gap[] }) {
  const { past: t } = useMessages()
  const { dateTime } = useFormat()
  const { allowed } = usePermission('listCloudAccounts')
  const { data: accounts = [] } = useQuery({
    ...allAccountsQuery,
    enabled: allowed && gaps.length > 0,
  })
  if (gaps.length === 0) return null
  const format = (time: number | undefined) =>
    time === undefined ? undefined : dateTime(new Date(time).toISOString())
  return (
    <ul className={styles.gaps} aria-label={t.gaps}>
      {gaps.map(({ accountId, region, from, until }) => {
        const name = accounts.find(({ id }) => id === accountId)?.name ?? accountId
        const shown = region === undefined ? name : `${name} · ${region}`
        return (
          <li key={`${accountId} ${region} ${from}`}>
            <StatusShape tone="warn" />
            {t.gap(shown, format(from), format(until))}
          </li>
        )
      })}
    </ul>
  )
}
