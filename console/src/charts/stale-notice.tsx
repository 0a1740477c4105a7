import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import styles from './stale-notice.module.css'

interface Props {
  readonly since: number
  readonly onRetry: () => void
}

/** What is shown is from before: the last try to count anew failed. */
export function StaleNotice({ since, onRetry }: Props) {
  const t = useMessages()
  const { clock } = useFormat()
  return (
    <p className={styles.note} role="status">
      <span aria-hidden="true">◌</span>
      {t.overview.notUpdated(clock(since))}
      <Button small look="quiet" icon="refresh" onClick={onRetry}>
        {t.common.retry}
      </Button>
    </p>
  )
}
