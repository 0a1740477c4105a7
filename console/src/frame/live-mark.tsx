import { useConnection } from '../api/connection.ts'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import styles from './live-mark.module.css'

/** Shows that the page updates automatically. `ConnectionBanner` replaces it while it cannot. */
export function LiveMark() {
  const t = useMessages()
  const { isConnected } = useConnection()
  return (
    <span className={styles.live} role="status" title={t.connection.liveHint}>
      {isConnected && <StatusMark tone="good">{t.connection.live}</StatusMark>}
    </span>
  )
}
