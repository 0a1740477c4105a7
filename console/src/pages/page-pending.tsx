import styles from '../ui/page.module.css'
import { SkeletonRows, SkeletonTitle } from '../ui/skeleton.tsx'

export function PagePending() {
  return (
    <div className={styles.page}>
      <SkeletonTitle />
      <SkeletonRows rows={16} />
    </div>
  )
}
