import type { CloudAccount } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { useNow } from '../../ui/use-now.ts'

/** "for 3 hours", if an account that is enabled fails. */
export function useFailingFor({ enabled, sync }: CloudAccount): string | undefined {
  const t = useMessages().accounts
  const { span } = useFormat()
  const now = useNow()
  if (!enabled || sync.failing_since === null) return undefined
  // The page's clock may lag behind.
  return t.failingFor(span(Math.max(1, (now - Date.parse(sync.failing_since)) / 1_000)))
}

/** What to do about the error of an account: where to correct what it is about. */
export function RemedyLink({ account }: { readonly account: CloudAccount }) {
  const { remedies } = useMessages().accounts
  const { id, sync } = account
  if (sync.error === '') return null
  const field = sync.error_field
  return (
    <Link
      to="/accounts/$id"
      params={{ id }}
      search={field === '' ? {} : { tab: 'settings' }}
      aria-label={`${remedies[field]}: ${account.name}`}
    >
      {remedies[field]}
    </Link>
  )
}
