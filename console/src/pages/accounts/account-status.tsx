import type { CloudAccount } from '@muster/contract'
import { freshnessTones } from '../../servers/freshness.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'

type Status = CloudAccount['status']

export function AccountStatus({ status }: { readonly status: Status }) {
  const t = useMessages()
  return (
    <span title={t.accounts.statusHints[status]}>
      <StatusMark tone={freshnessTones[status]}>{t.accounts.statuses[status]}</StatusMark>
    </span>
  )
}
