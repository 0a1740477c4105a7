import styles from '../ui/page.module.css'
import { SkeletonRows } from '../ui/skeleton.tsx'

export function PagePending() {
  return (
    <div className={styles.page}>
      <SkeletonRows />
    </div>
  )
}
