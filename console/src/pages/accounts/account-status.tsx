import type { CloudAccount } from '@muster/contract'
import { freshnessTones } from '../../servers/freshness.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'

type Status = CloudAccount['status']

interface Props {
  readonly status: Status
  /** For how long it has been so. */
  readonly note?: string | undefined
}

export function AccountStatus({ status, note }: Props) {
  const t = useMessages()
  return (
    <span title={t.accounts.statusHints[status]}>
      <StatusMark tone={freshnessTones[status]} note={note}>
        {t.accounts.statuses[status]}
      </StatusMark>
    </span>
  )
}
