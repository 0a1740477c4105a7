import { useState } from 'react'
import styles from './fresh-number.module.css'

/** A figure that is changed in place: it lights up for a moment when it does. */
export function FreshNumber({ children }: { readonly children: string }) {
  const [shown, setShown] = useState({ text: children, changes: 0 })
  if (shown.text !== children) setShown({ text: children, changes: shown.changes + 1 })
  return (
    <span key={shown.changes} className={shown.changes > 0 ? styles.changed : undefined}>
      {children}
    </span>
  )
}
