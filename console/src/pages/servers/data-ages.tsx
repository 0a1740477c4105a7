import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePermission } from '../../session/use-permission.ts'
import { allAccountsQuery } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'
import { agesOfAccounts, agesOfTimes, type AccountTime } from '../../servers/account-age.ts'
import { freshnessTones } from '../../servers/freshness.ts'
import styles from './data-ages.module.css'

const few = 4

/** The data age of each account, oldest first. */
export function DataAges({ seen }: { readonly seen: readonly AccountTime[] }) {
  const t = useMessages()
  const { number } = useFormat()
  const now = useNow()
  const permission = usePermission('listCloudAccounts')
  const { data: known } = useQuery({ ...allAccountsQuery, enabled: permission.allowed })
  const ages = known ? agesOfAccounts(known, now) : agesOfTimes(seen, now)
  if (ages.length === 0) return null
  return (
    <ul className={styles.ages} aria-label={t.servers.ages}>
      {ages.slice(0, few).map((age) => (
        <li key={age.name}>
          <StatusMark tone={freshnessTones[age.freshness]}>{age.name}</StatusMark>{' '}
          <span className={styles.age}>
            <TimeAgo time={age.time} never={t.servers.neverSynced} />
          </span>
        </li>
      ))}
      {ages.length > few && (
        <li>
          <Link to="/accounts">{t.servers.moreAccounts(number(ages.length - few))}</Link>
        </li>
      )}
    </ul>
  )
}
