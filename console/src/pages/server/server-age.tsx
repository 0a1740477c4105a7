import type { Server } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { accountPeriodQuery } from '../../api/queries/server.ts'
import { isServerStale, syncedAt } from '../../servers/freshness.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useNow } from '../../ui/use-now.ts'
import styles from './server.module.css'

/** How old what is shown is, by when its account was last synced completely. */
export function ServerAge({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const now = useNow()
  const canAsk = usePermission('getCloudAccount').allowed && server.account_id !== ''
  const { data: period } = useQuery({ ...accountPeriodQuery(server.account_id), enabled: canAsk })
  const time = syncedAt(server)
  if (!isServerStale(server, now, period)) return <TimeAgo time={time} never={t.never} />
  return (
    <span className={styles.stale} title={t.stale}>
      <span aria-hidden="true">▲ </span>
      <TimeAgo time={time} never={t.never} />
      <span className="visuallyHidden"> ({t.stale})</span>
    </span>
  )
}
