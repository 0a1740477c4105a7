import type { EventDto } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { describeValue } from './describe-value.ts'
import styles from './history.module.css'

/** Longer values are collapsed. */
const longest = 160

export function HistoryEvent({ event }: { readonly event: EventDto }) {
  const { server: t } = useMessages()
  const { clock, dateTime } = useFormat()
  const { time, user, action, result, changes } = event
  const failure = t.results[result]
  return (
    <li className={styles.event}>
      <time dateTime={time} title={`${dateTime(time)} · ${time}`} className={styles.time}>
        {clock(Date.parse(time))}
      </time>
      <div className={styles.what}>
        <p>
          {t.actions[action] ?? action}
          <span className={styles.soft}>
            {' · '}
            <bdi>{user || t.byMuster}</bdi>
          </span>
          {failure !== undefined && (
            <>
              {' '}
              <StatusMark tone="bad">{failure}</StatusMark>
            </>
          )}
        </p>
        {Object.keys(changes).length > 0 && (
          <dl className={styles.changes}>
            {Object.entries(changes).map(([field, [before, after]]) => (
              <Change key={field} field={field} before={before} after={after} />
            ))}
          </dl>
        )}
      </div>
    </li>
  )
}

interface ChangeProps {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

function Change({ field, before, after }: ChangeProps) {
  const { server: t } = useMessages()
  const { size } = useFormat()
  const names = useValueNames()
  const describe = (value: unknown) => {
    const text = describeValue(field, value, size)
    return text === undefined ? undefined : names.fullName(field, text)
  }
  const old = describe(before)
  const fresh = describe(after)
  // Skip empty fields of a new server.
  if (old === undefined && fresh === undefined) return null
  return (
    <div className={styles.change}>
      <dt>
        <bdi>{field}</bdi>
      </dt>
      <dd>
        {old !== undefined && (
          <>
            <span className="visuallyHidden">{t.before} </span>
            <del>
              <Value text={old} />
            </del>
            <span aria-hidden="true" className={styles.arrow}>
              {' '}
              →{' '}
            </span>
          </>
        )}
        <span className="visuallyHidden">{t.after} </span>
        <Value text={fresh} />
      </dd>
    </div>
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
