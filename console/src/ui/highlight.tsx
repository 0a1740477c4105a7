import { useState, type ReactNode } from 'react'
import styles from './highlight.module.css'

interface Props {
  readonly value: string
  /** The value itself unless given. */
  readonly children?: ReactNode
}

/** Two equal animations: a browser restarts one only by switching to the other. */
const animations = [styles.even, styles.odd]

/** Highlights its content for a moment whenever the value changes. */
export function Highlight({ value, children = value }: Props) {
  const [seen, setSeen] = useState({ value, changes: 0 })
  if (seen.value !== value) setSeen({ value, changes: seen.changes + 1 })
  const className = seen.changes === 0 ? undefined : animations[seen.changes % 2]
  return <span className={className}>{children}</span>
}
