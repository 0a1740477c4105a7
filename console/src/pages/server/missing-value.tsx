import { useMessages } from '../../messages/use-messages.ts'
import styles from './server.module.css'

/** Shows that a value does not exist, or that it is unknown. */
export function MissingValue({ is }: { readonly is: 'none' | 'unknown' }) {
  const t = useMessages()
  if (is === 'none') return <span className={styles.none}>{t.server.none}</span>
  return (
    <span className={styles.unknown} title={t.server.notKnownHint}>
      {t.server.notKnown}
    </span>
  )
}
