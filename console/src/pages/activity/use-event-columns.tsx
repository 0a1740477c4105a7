import type { EventDto } from '@muster/contract'
import type { EventFilters } from '../../api/event-filters.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { ChangeWords } from '../../servers/describe-changes.ts'
import type { FieldChange } from '../../servers/describe-items.ts'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import type { Column } from '../../ui/table.tsx'
import styles from './activity.module.css'
import { Link } from '@tanstack/react-router'
import { kindOperations, kinds, type Kind } from '../../api/kind-operations.ts'
import { EntityLink } from '../identity/entity-link.tsx'
import { describeEvent, isBrief } from './describe-event.ts'

const tones: Readonly<Record<EventDto['result'], Tone>> = {
  success: 'good',
  failure: 'warn',
  denied: 'bad',
}

/** The columns of the log. A click on a value filters by it. */
export function useEventColumns(
  narrow: (filters: EventFilters) => void,
): readonly Column<EventDto>[] {
  const t = useMessages()
  const { dateTime } = useFormat()
  const words = useChangeWords()
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
      cell: (event) => <ChangeList event={event} words={words} />,
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

const kindOf: Readonly<Record<string, Kind>> = Object.fromEntries(
  kinds.map((kind) => [kindOperations[kind].key, kind]),
)

/** The target of an event, linked to its page. */
function EventTarget({ event }: { readonly event: EventDto }) {
  const t = useMessages()
  const { target_type: type, target_id: id, target_name: name } = event
  const kind = kindOf[type]
  const label = name === '' ? id : name
  return (
    <span className={styles.target}>
      <span className={styles.soft}>{t.activity.types[type] ?? type}</span>{' '}
      {id === '' ? (
        label
      ) : kind ? (
        <EntityLink kind={kind} id={id}>
          {label}
        </EntityLink>
      ) : type === 'server' ? (
        <Link to="/servers/$id" params={{ id }}>
          {label}
        </Link>
      ) : type === 'cloudaccount' ? (
        <Link to="/accounts/$id" params={{ id }}>
          {label}
        </Link>
      ) : (
        label
      )}
    </span>
  )
}

/** Old and new values; collapsed if they are long. */
function ChangeList({ event, words }: { readonly event: EventDto; readonly words: ChangeWords }) {
  const t = useMessages()
  const all = describeEvent(event, words)
  if (all.length === 0) return null
  if (isBrief(all)) return <Lines changes={all} />
  const names = all.map(({ label }) => label).join(', ')
  return (
    <details className={styles.changes}>
      <summary>
        {t.activity.changed(all.length)}: <span className={styles.soft}>{names}</span>
      </summary>
      <Lines changes={all} />
    </details>
  )
}

function Lines({ changes }: { readonly changes: readonly FieldChange[] }) {
  const t = useMessages()
  return (
    <dl className={styles.changes}>
      {changes.map(({ key, label, before, after }) => (
        <div key={key} className={styles.change}>
          <dt>{label}</dt>
          <dd>
            {before !== undefined && (
              <>
                <del>{before}</del> →{' '}
              </>
            )}
            {after ?? <span className={styles.soft}>{t.activity.nothing}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
