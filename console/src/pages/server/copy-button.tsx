import { Copyable } from '../../ui/copyable.tsx'
import styles from './server.module.css'

/** A button whose word is not what it copies. */
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
