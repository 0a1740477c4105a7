import { retryConnection, useConnection } from '../api/connection.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import styles from './connection-banner.module.css'

/**
 * Shows since when the API does not respond, or not with all data. The live region stays in the page, so that
 * changes are announced.
 */
export function ConnectionBanner() {
  const t = useMessages().connection
  const { hourMinute } = useFormat()
  const connection = useConnection()
  const { isConnected } = connection
  const since = isConnected ? connection.waitingSince : connection.since
  const disconnectedText = navigator.onLine ? t.disconnectedText : t.offlineText
  return (
    <div role="status" className={styles.region}>
      {since !== undefined && (
        <div className={styles.banner}>
          <StatusMark tone="bad">
            {(isConnected ? t.waiting : t.disconnected)(hourMinute(since))}
          </StatusMark>
          <span className={styles.text}>{isConnected ? t.waitingText : disconnectedText}</span>
          <Button small icon="refresh" onClick={retryConnection}>
            {t.retry}
          </Button>
        </div>
      )}
    </div>
  )
}
