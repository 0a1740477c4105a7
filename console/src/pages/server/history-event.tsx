import type { EventDto, ServerAction, Task } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { describeChanges, introduce, type ChangeWords } from '../../servers/describe-changes.ts'
import { FieldChanges } from '../../servers/field-changes.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { EventAuthor } from './event-author.tsx'
import styles from './history.module.css'

interface Props {
  readonly event: EventDto
  readonly words: ChangeWords
}

/** What a change of a whole server is called: its source showed it, nobody did it here. */
const kinds = { create: 'appeared', delete: 'gone', restore: 'returned' } as const

export function HistoryEvent({ event, words }: Props) {
  const { server: t, changes: texts, actions, tasks } = useMessages()
  const { clock, dateTime } = useFormat()
  const { time, action, result, record, changes, not_observed_since: since } = event
  const failure = t.results[result]
  const kind = record === 'change' ? kinds[action as keyof typeof kinds] : undefined
  const { task_id: taskId, task_status: taskStatus, ...others } = changes
  // The changes of the server tell how its status went.
  const { status: _, ...ofTask } = others
  const ended = tasks.statuses[taskStatus?.[1] as Task['status']]
  return (
    <li className={styles.event}>
      <time dateTime={time} title={`${dateTime(time)} · ${time}`} className={styles.time}>
        {clock(Date.parse(time))}
      </time>
      <div className={styles.what}>
        <p>
          {kind === undefined
            ? (t.actions[action] ?? actions.names[action as ServerAction] ?? action)
            : texts.kinds[kind]}
          <span className={styles.soft}>
            {' · '}
            <EventAuthor event={event} />
          </span>
          {failure === undefined ? (
            ended !== undefined && <span className={styles.soft}> · {ended}</span>
          ) : (
            <>
              {' '}
              <StatusMark tone="bad">{failure}</StatusMark>
            </>
          )}
        </p>
        {kind === undefined ? (
          <FieldChanges changes={describeChanges(taskId === undefined ? others : ofTask, words)} />
        ) : (
          <p className={styles.soft}>
            <bdi>{introduce(changes, words)}</bdi>
          </p>
        )}
        {since !== null && (
          <p className={styles.soft}>{texts.notObserved(dateTime(since), dateTime(time))}</p>
        )}
      </div>
    </li>
  )
}
