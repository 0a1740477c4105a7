import type { ReactNode } from 'react'
import styles from './filter-value.module.css'

interface Props {
  /** What it is called in a query. */
  readonly name: string
  readonly value: string
  /** For what may be cut off; the value itself unless given. */
  readonly title?: string
  readonly children?: ReactNode
}

/**
 * A value in the table that can be filtered to or excluded: the table hears the click and shows the
 * menu. Not in the order of tabbing, which would have hundreds of stops: `f` on a row offers the same.
 */
export function FilterValue({ name, value, title = value, children }: Props) {
  if (value === '') return <>–</>
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.value}
      data-filter={name}
      data-value={value}
      title={title}
    >
      {children ?? value}
    </button>
  )
}
