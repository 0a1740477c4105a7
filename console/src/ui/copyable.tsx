import { useState, type ReactNode } from 'react'
import { copyText } from '../browser/copy-text.ts'
import { useMessages } from '../messages/use-messages.ts'
import styles from './copyable.module.css'
import { Icon } from './icon.tsx'

interface Props {
  readonly value: string
  /** Shown instead of the value. */
  readonly children?: ReactNode
}

/** A value that a click copies. */
export function Copyable({ value, children }: Props) {
  const t = useMessages()
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className={styles.copy}
      title={t.common.copy}
      onClick={async () => {
        await copyText(value)
        setCopied(true)
        setTimeout(() => setCopied(false), 1500)
      }}
    >
      <span>{children ?? value}</span>
      <span className={isCopied ? styles.done : undefined}>
        <Icon name={isCopied ? 'check' : 'copy'} size={13} />
      </span>
      <span className="visuallyHidden" role="status">
        {isCopied ? t.common.copied : ''}
      </span>
    </button>
  )
}
