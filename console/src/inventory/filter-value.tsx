import type { ReactNode } from 'react'
import styles from './filter-value.module.css'

interface Props {
  /** Its filter key. */
  readonly name: string
  readonly value: string
  /** The tooltip for truncated text. Default: the value. */
  readonly title?: string
  readonly children?: ReactNode
}

/**
 * A value in the table that can be filtered by. The table handles the click and opens the menu. Not a
 * tab stop, because there would be hundreds: `f` on a row offers the same.
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
