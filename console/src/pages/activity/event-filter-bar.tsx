import { useState } from 'react'
import {
  eventResults,
  isSpan,
  spans,
  type EventFilterName,
  type EventFilters,
} from '../../api/event-filters.ts'
import { fromLocalDateTime, toLocalDateTime } from '../../form/local-date-time.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { labelsOf, pick } from '../identity/pick.ts'
import { EntityPicker } from '../identity/entity-picker.tsx'
import { useChoices } from '../identity/use-choices.ts'
import styles from './activity.module.css'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'

interface Props {
  readonly filters: EventFilters
  readonly onChange: (filters: EventFilters) => void
}

/** The filters of the activity log, stored in the address. */
export function EventFilterBar({ filters, onChange }: Props) {
  const t = useMessages()
  // Not an action of the API.
  const { 'delete-now': _, ...serverActions } = t.actions.names
  const isTimed = filters.since !== undefined || filters.before !== undefined
  const [isBetween, setBetween] = useState(isTimed)
  const set = (changes: Readonly<Partial<Record<EventFilterName, string | undefined>>>) =>
    onChange({ ...filters, ...changes } as EventFilters)
  const renderOptions = (entries: Readonly<Record<string, string>>) =>
    Object.entries(entries).map(([value, label]) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))
  /** Adds a value from the address that has no name here. */
  const known = (entries: Readonly<Record<string, string>>, value = '') =>
    value === '' || value in entries ? entries : { ...entries, [value]: value }
  return (
    <search className={styles.filters} aria-label={t.activity.filters}>
      <ActorFilter
        key={filters.user_id ?? ''}
        id={filters.user_id ?? ''}
        onChange={(id) => set({ user_id: id })}
      />
      <SelectField
        label={t.activity.action}
        value={filters.action ?? ''}
        onChange={(event) => set({ action: event.target.value })}
      >
        <option value="">{t.activity.anyAction}</option>
        {renderOptions(known({ ...serverActions, ...t.activity.actions }, filters.action))}
      </SelectField>
      <SelectField
        label={t.activity.targetType}
        value={filters.target_type ?? ''}
        onChange={(event) => set({ target_type: event.target.value })}
      >
        <option value="">{t.activity.anyType}</option>
        {renderOptions(known(t.activity.types, filters.target_type))}
      </SelectField>
      <SelectField
        label={t.activity.result}
        value={filters.result ?? ''}
        onChange={(event) => set({ result: event.target.value })}
      >
        <option value="">{t.activity.anyResult}</option>
        {eventResults.map((result) => (
          <option key={result} value={result}>
            {t.activity.results[result]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t.activity.when}
        value={isBetween || isTimed ? 'between' : (filters.last ?? '')}
        onChange={(event) => {
          const { value } = event.target
          setBetween(value === 'between')
          if (value !== 'between') {
            set({ last: isSpan(value) ? value : undefined, since: undefined, before: undefined })
          } else set({ last: undefined })
        }}
      >
        <option value="">{t.activity.anyTime}</option>
        {(Object.keys(spans) as (keyof typeof spans)[]).map((span) => (
          <option key={span} value={span}>
            {t.activity.spans[span]}
          </option>
        ))}
        <option value="between">{t.activity.between}</option>
      </SelectField>
      {(isBetween || isTimed) &&
        (['since', 'before'] as const).map((name) => (
          <TextField
            key={name}
            label={t.activity[name]}
            required
            type="datetime-local"
            defaultValue={toLocalDateTime(filters[name])}
            onBlur={(event) => {
              const dateTime = fromLocalDateTime(event.target.value)
              if (dateTime !== filters[name]) set({ [name]: dateTime })
            }}
          />
        ))}
      <FilterText
        label={t.activity.targetId}
        value={filters.target_id ?? ''}
        onChange={(target_id) => set({ target_id })}
      />
      <FilterText
        label={t.activity.requestId}
        value={filters.request_id ?? ''}
        onChange={(request_id) => set({ request_id })}
      />
      {Object.keys(filters).length > 0 && (
        <div className={styles.buttons}>
          <Button
            icon="close"
            onClick={() => {
              setBetween(false)
              onChange({})
            }}
          >
            {t.activity.clear}
          </Button>
        </div>
      )}
    </search>
  )
}

interface ActorProps {
  readonly id: string
  readonly onChange: (id: string | undefined) => void
}

/** The user filter. Applies once the text names a user. */
function ActorFilter({ id, onChange }: ActorProps) {
  const t = useMessages()
  const users = useChoices('users')
  const [typed, setTyped] = useState<string>()
  const name = [...labelsOf(users)].find(([, each]) => each === id)?.[0] ?? id
  return (
    <EntityPicker
      kind="users"
      label={t.activity.who}
      hint={null}
      required
      text={typed ?? name}
      onText={(text) => {
        setTyped(text)
        const picked = pick(text, users)
        if (text.trim() === '' ? id !== '' : picked !== undefined && picked !== id) onChange(picked)
      }}
    />
  )
}

interface FilterTextProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A debounced text filter. */
function FilterText({ label, value, onChange }: FilterTextProps) {
  const { box, text, type } = useDebouncedInput(value, (next) => onChange(next.trim()))
  return (
    <TextField
      ref={box}
      label={label}
      required
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  )
}
