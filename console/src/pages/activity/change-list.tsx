import type { EventDto } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './activity.module.css'
import { describeChanges, isBrief, type Change } from './describe-changes.ts'

/** Before and after: in the row where it fits, else behind the names of what changed. */
export function ChangeList({ changes }: { readonly changes: EventDto['changes'] }) {
  const t = useMessages()
  const all = describeChanges(changes)
  if (all.length === 0) return null
  if (isBrief(all)) return <Lines changes={all} />
  const names = all.map(({ name }) => name).join(', ')
  return (
    <details className={styles.changes}>
      <summary>
        {t.activity.changed(all.length)}: <span className={styles.soft}>{names}</span>
      </summary>
      <Lines changes={all} />
    </details>
  )
}

function Lines({ changes }: { readonly changes: readonly Change[] }) {
  const t = useMessages()
  return (
    <dl className={styles.changes}>
      {changes.map(({ name, before, after }) => (
        <div key={name} className={styles.change}>
          <dt>{name}</dt>
          <dd>
            {before !== '' && (
              <>
                <del>{before}</del> →{' '}
              </>
            )}
            {after === '' ? <span className={styles.soft}>{t.activity.nothing}</span> : after}
          </dd>
        </div>
      ))}
    </dl>
  )
}
