import type { EventDto } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { describeChanges, type ChangeWords } from '../../servers/describe-changes.ts'
import { FieldChanges } from '../../servers/field-changes.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './history.module.css'

interface Props {
  readonly event: EventDto
  readonly words: ChangeWords
}

export function HistoryEvent({ event, words }: Props) {
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
        <FieldChanges changes={describeChanges(changes, words)} />
      </div>
    </li>
  )
}
