import { useState, type ReactNode } from 'react'
import styles from './flash.module.css'

interface Props {
  /** What is watched: when it changes, what shows it lights up for a moment. */
  readonly of: string
  readonly children: ReactNode
}

/** Two animations that are the same: changing from one to the other is what starts it again. */
const looks = [styles.even, styles.odd]

export function Flash({ of: value, children }: Props) {
  const [seen, setSeen] = useState({ value, times: 0 })
  if (seen.value !== value) setSeen({ value, times: seen.times + 1 })
  return <span className={seen.times === 0 ? undefined : looks[seen.times % 2]}>{children}</span>
}
