import { useMessages } from '../../messages/use-messages.ts'
import styles from './server.module.css'

/** What there is not, and what nobody tells: two things that must not look alike. */
export function MissingValue({ is }: { readonly is: 'none' | 'unknown' }) {
  const t = useMessages()
  if (is === 'none') return <span className={styles.none}>{t.server.none}</span>
  return (
    <span className={styles.unknown} title={t.server.notKnownHint}>
      {t.server.notKnown}
    </span>
  )
}
