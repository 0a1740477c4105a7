import { retryConnection, useConnection } from '../api/connection.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import styles from './connection-banner.module.css'

/** Shows since when the API does not respond. The live region stays in the page, so that changes are announced. */
export function ConnectionBanner() {
  const t = useMessages().connection
  const { hourMinute } = useFormat()
  const connection = useConnection()
  return (
    <div role="status" className={styles.region}>
      {!connection.isConnected && (
        <div className={styles.banner}>
          <StatusMark tone="bad">{t.disconnected(hourMinute(connection.since))}</StatusMark>
          <span className={styles.text}>
            {navigator.onLine ? t.disconnectedText : t.offlineText}
          </span>
          <Button small icon="refresh" onClick={retryConnection}>
            {t.retry}
          </Button>
        </div>
      )}
    </div>
  )
}
