import type { ReactNode } from 'react'
import styles from './notice.module.css'

interface Props {
  readonly title: string
  /** Explains how to get content here. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export function EmptyState({ title, children, actions }: Props) {
  return (
    <section className={`${styles.notice} ${styles.center}`}>
      <h2>{title}</h2>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </section>
  )
}
