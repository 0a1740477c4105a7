import type { AccountSync } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { useNow } from '../../ui/use-now.ts'

/** The time of the next sync, or a dash. */
export function NextSync({ sync }: { readonly sync: AccountSync }) {
  const t = useMessages()
  const { ago, dateTime } = useFormat()
  const now = useNow()
  if (sync.next_at === null) return <>–</>
  const isDue = sync.state !== 'idle' || Date.parse(sync.next_at) <= now
  return (
    <time dateTime={sync.next_at} title={dateTime(sync.next_at)}>
      {isDue ? t.accounts.dueNow : ago(sync.next_at, now)}
    </time>
  )
}
