import type { CloudAccount } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './account-page.module.css'

const shownItems = 3
const shownText = 80

/** An option as it is kept; what is long opens where it stands. */
export function OptionValue({ value }: { readonly value: CloudAccount['options'][string] }) {
  const t = useMessages()
  const { number } = useFormat()
  if (typeof value === 'boolean') return value ? t.common.yes : t.common.no
  // No grouping: a seed is a name rather than an amount.
  if (typeof value === 'number') return <code>{String(value)}</code>
  const text = Array.isArray(value) ? value.join('\n') : value
  const isShort = Array.isArray(value) ? value.length <= shownItems : text.length <= shownText
  if (isShort) return <code>{Array.isArray(value) ? value.join(', ') : value}</code>
  return (
    <details className={styles.long}>
      <summary>
        {Array.isArray(value) ? (
          <>
            <code>{value[0]}</code> +{number(value.length - 1)}
          </>
        ) : (
          <code>{text.slice(0, shownText)}…</code>
        )}
      </summary>
      <pre>{text}</pre>
    </details>
  )
}
