import { useMessages } from '../messages/use-messages.ts'
import type { FieldChange } from './describe-items.ts'
import styles from './field-changes.module.css'

/** Longer values are collapsed. */
const longest = 160

/** Changed fields, each with its value before and after. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  const { server: t } = useMessages()
  if (changes.length === 0) return null
  return (
    <dl className={styles.changes}>
      {changes.map(({ key, label, before, after }) => (
        <div key={key} className={styles.change}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            {before !== undefined && (
              <>
                <span className="visuallyHidden">{t.before} </span>
                <del>
                  <Value text={before} />
                </del>
                <span aria-hidden="true" className={styles.arrow}>
                  {' '}
                  →{' '}
                </span>
              </>
            )}
            <span className="visuallyHidden">{t.after} </span>
            <Value text={after} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ text }: { readonly text: string | undefined }) {
  const { server: t } = useMessages()
  if (text === undefined) return <span className={styles.soft}>{t.none}</span>
  if (text.length <= longest) return <bdi>{text}</bdi>
  return (
    <details className={styles.long}>
      <summary>
        <bdi>{text.slice(0, longest)}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  )
}
