import { useState, type ReactNode } from 'react'
import { copyText } from '../browser/copy-text.ts'
import { useMessages } from '../messages/use-messages.ts'
import styles from './copyable.module.css'
import { Icon } from './icon.tsx'

interface Props {
  readonly value: string
  /** Where what is shown is not what is copied. */
  readonly children?: ReactNode
}

/** An id, an address, a command: a click copies it. */
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
