import type { ReactNode } from 'react'
import styles from './tabs.module.css'

/** Tabs are links to routes. Give each link `tabClass`. */
export function Tabs({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  )
}

export const tabClass = styles.tab

export function TabCount({ children }: { readonly children: ReactNode }) {
  return <span className={styles.count}>{children}</span>
}
