import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { fromLocalDateTime, toLocalDateTime } from '../../form/local-date-time.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { statusGroups } from '../../servers/status.ts'
import { buttonClass, Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { defaultSpan, isSpan, spans, toTimestamp, type ChangeState } from './change-state.ts'
import { readMoment } from '../../url/read-moment.ts'
import styles from './changes.module.css'
import { useChangeKinds, type SetChangeState } from './use-change-state.ts'

interface Props {
  readonly state: ChangeState
  readonly now: number
  readonly onChange: SetChangeState
}

/** The period, the kinds, and the servers of the same query. */
export function ChangeTools({ state, now, onChange }: Props) {
  const t = useMessages()
  const { q, scope } = state
  return (
    <div className={styles.tools}>
      <Period state={state} now={now} onChange={onChange} />
      <KindMenu state={state} onChange={onChange} />
      {(state.newStatus || state.kinds.includes('status')) && (
        <SelectField
          label={t.changes.newStatus}
          value={state.newStatus ?? ''}
          onChange={({ target: { value } }) =>
            onChange({ newStatus: statusGroups.find((group) => group === value) })
          }
        >
          <option value="">{t.changes.anyStatus}</option>
          {statusGroups.map((group) => (
            <option key={group} value={group}>
              {t.values.statusGroups[group]}
            </option>
          ))}
        </SelectField>
      )}
      <Link
        to="/servers"
        search={{ q, scope: scope === 'max' ? undefined : scope, as_of: state.until }}
        className={buttonClass('quiet')}
      >
        <Icon name="servers" />
        {t.changes.serversThatMatch}
      </Link>
    </div>
  )
}

function Period({ state: { since, until }, now, onChange }: Props) {
  const { activity: t } = useMessages()
  const [isChosen, setChosen] = useState(false)
  const isBetween = isChosen || !isSpan(since) || until !== undefined
  const names = { '-24h': t.spans['24h'], '-7d': t.spans['7d'], '-30d': t.spans['30d'] } as const
  const times = { since: readMoment(since, now), until: until && readMoment(until, now) }
  return (
    <>
      <SelectField
        label={t.when}
        value={isBetween ? 'between' : since}
        onChange={({ target: { value } }) => {
          setChosen(value === 'between')
          if (isSpan(value)) onChange({ since: value, until: undefined })
        }}
      >
        {spans.map((span) => (
          <option key={span} value={span}>
            {names[span]}
          </option>
        ))}
        <option value="between">{t.between}</option>
      </SelectField>
      {isBetween &&
        (['since', 'until'] as const).map((name) => {
          const time = times[name]
          const shown = time ? toLocalDateTime(toTimestamp(time)) : ''
          return (
            <TextField
              // Begins anew when the time is changed from elsewhere.
              key={`${name} ${shown}`}
              label={name === 'since' ? t.since : t.before}
              required
              type="datetime-local"
              defaultValue={shown}
              onBlur={({ target: { value } }) => {
                if (value === shown) return
                const chosen = fromLocalDateTime(value)
                onChange(name === 'since' ? { since: chosen ?? defaultSpan } : { until: chosen })
              }}
            />
          )
        })}
    </>
  )
}

/** The kinds of changes that are shown. */
function KindMenu({ state, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const { changes: t } = useMessages()
  const all = useChangeKinds()
  const { kinds } = state
  const chosen = kinds.map((kind) => t.kinds[kind])
  return (
    <Menu
      label={t.kind}
      trigger={(properties) => (
        <Button icon="filter" {...properties}>
          <span className="visuallyHidden">{t.kind} </span>
          <span className={styles.chosen}>
            {chosen.length === 0 ? t.anyKind : t.sentence(chosen)}
          </span>
        </Button>
      )}
    >
      <MenuItem
        checked={kinds.length === 0}
        onSelect={() => onChange({ kinds: [], newStatus: undefined })}
      >
        {t.anyKind}
      </MenuItem>
      {all.map((kind) => (
        <MenuItem
          key={kind}
          stays
          checked={kinds.includes(kind)}
          onSelect={() =>
            onChange({
              kinds: all.filter((other) => kinds.includes(other) !== (other === kind)),
            })
          }
        >
          {t.kinds[kind]}
        </MenuItem>
      ))}
    </Menu>
  )
}
