import type { ReactNode } from 'react'
import { PropertyList } from '../../ui/property-list.tsx'
import styles from './server.module.css'

interface Props {
  readonly title: string
  /** A note above the properties. */
  readonly note?: ReactNode
  readonly children: ReactNode
}

/** A group of properties. Groups use two columns if there is room. */
export function PropertyGroup({ title, note, children }: Props) {
  return (
    <section className={styles.group}>
      <h2>{title}</h2>
      {note}
      <PropertyList>{children}</PropertyList>
    </section>
  )
}
