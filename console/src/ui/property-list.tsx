import type { ReactNode } from 'react'
import styles from './property-list.module.css'

export function PropertyList({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

interface Props {
  readonly label: string
  readonly children?: ReactNode
}

/** A label and its value; a dash where there is none. */
export function Property({ label, children }: Props) {
  const isAbsent = children === undefined || children === null || children === ''
  return (
    <div className={styles.fact}>
      <dt>{label}</dt>
      <dd className={isAbsent ? styles.absent : undefined}>{isAbsent ? '–' : children}</dd>
    </div>
  )
}
