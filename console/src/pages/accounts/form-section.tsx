import { useId, type ReactNode } from 'react'
import styles from './account-form.module.css'

interface Props {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

export function FormSection({ title, lead, children }: Props) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  )
}
