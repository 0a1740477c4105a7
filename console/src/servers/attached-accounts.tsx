import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allAccountsQuery } from '../api/queries/accounts.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { usePermission } from '../session/use-permission.ts'
import { useNow } from '../ui/use-now.ts'
import { freshnessOf, needsAttention } from './freshness.ts'

const mostShown = 5

/** The accounts where no server is seen: those that fail, and how many were not synced yet. */
export function useAttachedAccounts() {
  const { allowed } = usePermission('listCloudAccounts')
  const { data = [] } = useQuery({ ...allAccountsQuery, enabled: allowed })
  const now = useNow()
  const known = data.map((account) => ({ account, freshness: freshnessOf(account, now) }))
  const failing = known.filter(({ freshness }) => needsAttention(freshness))
  const waiting = known.filter(({ freshness }) => freshness === 'init').length
  return { count: known.length, failing, waiting, allowed }
}

/** How many accounts will show servers. If others work, or may, the servers are in another project. */
export function WaitingAccounts() {
  const { empty: t } = useMessages().overview
  const { number } = useFormat()
  const { count, failing, waiting, allowed } = useAttachedAccounts()
  return (
    <>
      {waiting > 0 && (
        <p>
          {t.waiting(waiting, number(waiting))} <Link to="/accounts">{t.accounts}</Link>
        </p>
      )}
      {(!allowed || count > failing.length + waiting) && <p>{t.elsewhere}</p>}
    </>
  )
}

/** The accounts that fail, each with its reason. */
export function FailingAccounts() {
  const { overview: t, accounts: texts } = useMessages()
  const { failing } = useAttachedAccounts()
  return failing.slice(0, mostShown).map(({ account, freshness }) => (
    <p key={account.id}>
      <Link to="/accounts/$id" params={{ id: account.id }}>
        <bdi>{account.name}</bdi>
      </Link>
      {`: ${t.accounts.states[freshness]}. `}
      {account.sync.error || texts.statusHints[account.status]}
    </p>
  ))
}
