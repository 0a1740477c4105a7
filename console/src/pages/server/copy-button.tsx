import { Copyable } from '../../ui/copyable.tsx'
import styles from './server.module.css'

/** A copy button with its own label. */
export function CopyButton({
  value,
  children,
}: {
  readonly value: string
  readonly children: string
}) {
  return (
    <span className={styles.copyButton}>
      <Copyable value={value}>{children}</Copyable>
    </span>
  )
}
