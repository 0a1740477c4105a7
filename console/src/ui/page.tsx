import type { ReactNode } from 'react'
import { PageTitle } from './page-title.tsx'
import styles from './page.module.css'

interface Props {
  readonly title: string
  readonly lead?: ReactNode
  /** Counts and actions at the right of the title. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, lead, aside, children }: Props) {
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <PageTitle>{title}</PageTitle>
        {aside !== undefined && <div className={styles.aside}>{aside}</div>}
      </div>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </div>
  )
}
