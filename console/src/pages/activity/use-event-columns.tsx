import type { EventDto, ServerAction } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { EventFilters } from '../../api/event-filters.ts'
import { kindOperations, kinds, type Kind } from '../../api/kind-operations.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { ChangeWords } from '../../servers/describe-changes.ts'
import type { FieldChange } from '../../servers/describe-items.ts'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import type { Column } from '../../ui/table.tsx'
import { EntityLink } from '../identity/entity-link.tsx'
import { actionText, describeEvent, isAccepted, isBrief } from './describe-event.ts'
import styles from './activity.module.css'

const tones: Readonly<Record<EventDto['result'], Tone>> = {
  success: 'good',
  failure: 'bad',
  denied: 'warn',
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
      key: 'what',
      title: t.activity.what,
      cell: (event) => (
        <div className={styles.what}>
          {value(actionText(t, event.action), { action: event.action })}
          <EventTarget event={event} />
        </div>
      ),
    },
    {
      key: 'result',
      title: t.activity.result,
      cell: (event) =>
        isAccepted(event) && event.result === 'success' ? (
          <StatusMark tone="busy">{t.activity.accepted}</StatusMark>
        ) : (
          <StatusMark tone={tones[event.result]}>{t.activity.results[event.result]}</StatusMark>
        ),
    },
    {
      key: 'changes',
      title: t.activity.changes,
      cell: (event) => <ChangeList event={event} words={words} />,
    },
    { key: 'from', title: t.activity.from, cell: (event) => <Origin event={event} /> },
  ]
}

/** The address of the client, which opens to the id of the request. */
function Origin({ event: { ip, request_id: id } }: { readonly event: EventDto }) {
  const t = useMessages()
  if (id === '') return ip
  return (
    <details className={styles.origin}>
      <summary>{ip || t.activity.request}</summary>
      <Copyable value={id} />
    </details>
  )
}

const kindOf: Readonly<Record<string, Kind>> = Object.fromEntries(
  kinds.map((kind) => [kindOperations[kind].key, kind]),
)

/** The target of an event, linked to its page. */
function EventTarget({ event }: { readonly event: EventDto }) {
  const t = useMessages()
  const { target_type: type, target_id: id, target_name: name, user_id } = event
  // Who logs in does so as themselves.
  if (type === 'user' && id === user_id && id !== '') return null
  return (
    <span className={styles.target}>
      <span className={styles.soft}>{t.activity.types[type] ?? type}</span>{' '}
      <TargetName type={type} id={id}>
        {type === 'batch' || type === 'task'
          ? (t.actions.names[name as ServerAction] ?? name)
          : name || id}
      </TargetName>
    </span>
  )
}

interface TargetNameProps {
  readonly type: string
  readonly id: string
  readonly children: string
}

function TargetName({ type, id, children }: TargetNameProps) {
  const { [type]: kind } = kindOf
  const name = <bdi>{children}</bdi>
  if (id === '') return name
  if (kind) {
    return (
      <EntityLink kind={kind} id={id}>
        {name}
      </EntityLink>
    )
  }
  switch (type) {
    case 'server':
      return (
        <Link to="/servers/$id" params={{ id }}>
          {name}
        </Link>
      )
    case 'cloudaccount':
      return (
        <Link to="/accounts/$id" params={{ id }}>
          {name}
        </Link>
      )
    case 'check':
      return (
        <Link to="/checks/$id" params={{ id }}>
          {name}
        </Link>
      )
    case 'batch':
      return (
        <Link to="/tasks" search={{ batch_id: id }}>
          {name}
        </Link>
      )
    default:
      return name
  }
}

/** Old and new values; collapsed if they are long. */
function ChangeList({ event, words }: { readonly event: EventDto; readonly words: ChangeWords }) {
  const t = useMessages()
  const all = describeEvent(event, words)
  if (all.length === 0) return null
  if (isBrief(all)) return <Lines changes={all} />
  const names = all.map(({ label }) => label).join(t.problems.list)
  return (
    <details className={styles.changes}>
      <summary>
        {t.activity.changed(all.length)} <span className={styles.soft}>{names}</span>
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
