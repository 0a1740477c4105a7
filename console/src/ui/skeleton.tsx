import { useMessages } from '../messages/use-messages.ts'
import styles from './skeleton.module.css'

/** Placeholder rows as high as the real ones, so that nothing jumps. */
export function SkeletonRows({ rows = 8 }: { readonly rows?: number }) {
  const t = useMessages()
  return (
    <div className={styles.rows} role="status">
      <span className="visuallyHidden">{t.common.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.row} aria-hidden="true">
          <span className={`${styles.bar} ${styles.wide}`} />
          <span className={`${styles.bar} ${styles.narrow}`} />
          <span className={`${styles.bar} ${styles.middle}`} />
        </div>
      ))}
    </div>
  )
}
