import type { EventDto } from '@muster/contract'
import type { EventFilters } from '../../api/event-filters.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import type { Column } from '../../ui/table.tsx'
import styles from './activity.module.css'
import { ChangeList } from './change-list.tsx'
import { EventTarget } from './event-target.tsx'

const tones: Readonly<Record<EventDto['result'], Tone>> = {
  success: 'good',
  failure: 'warn',
  denied: 'bad',
}

/** A click on who, action or result narrows the log to it. */
export function useEventColumns(
  narrow: (filters: EventFilters) => void,
): readonly Column<EventDto>[] {
  const t = useMessages()
  const { dateTime } = useFormat()
  const value = (label: string, filters: EventFilters) => (
    <button
      type="button"
      className={styles.value}
      title={t.activity.onlyThis(label)}
      onClick={() => narrow(filters)}
    >
      {label}
    </button>
  )
  return [
    {
      key: 'time',
      title: t.activity.time,
      cell: ({ time }) => (
        <time className={styles.nowrap} dateTime={time} title={time}>
          {dateTime(time)}
        </time>
      ),
    },
    {
      key: 'who',
      title: t.activity.who,
      cell: ({ user, user_id }) => {
        if (user_id !== '') return value(user, { user_id })
        return <span className={styles.soft}>{user === '' ? t.activity.nobody : user}</span>
      },
    },
    {
      key: 'action',
      title: t.activity.action,
      cell: ({ action }) => value(t.activity.actions[action] ?? action, { action }),
    },
    { key: 'target', title: t.activity.target, cell: (event) => <EventTarget event={event} /> },
    {
      key: 'result',
      title: t.activity.result,
      cell: ({ result }) => (
        <StatusMark tone={tones[result]}>{t.activity.results[result]}</StatusMark>
      ),
    },
    {
      key: 'changes',
      title: t.activity.changes,
      cell: ({ changes }) => <ChangeList changes={changes} />,
    },
    { key: 'ip', title: t.activity.ip, cell: ({ ip }) => <code>{ip}</code> },
    {
      key: 'request',
      title: t.activity.request,
      cell: ({ request_id: id }) =>
        id !== '' && (
          <span className={styles.nowrap}>
            <Copyable value={id}>{id.length > 13 ? `${id.slice(0, 12)}…` : id}</Copyable>
          </span>
        ),
    },
  ]
}
