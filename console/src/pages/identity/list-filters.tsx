import type { ReactNode } from 'react'
import type { Kind } from '../../api/kind-operations.ts'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { selections, type ListState } from './list-state.ts'
import styles from './entity-list.module.css'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly kind: Kind
  readonly state: ListState
  readonly onChange: (changes: Readonly<Record<string, string>>) => void
  readonly children: ReactNode
}

/** The search and filters of a list. */
export function ListFilters({ kind, state, onChange, children }: Props) {
  const t = useAllMessages()
  const domains = useChoices('domains')
  const { box, text, type } = useDebouncedInput(state.find, (find) => onChange({ find }))
  return (
    <search className={styles.filters}>
      <div className={styles.find}>
        <TextField
          ref={box}
          data-find
          label={t.identity.find[kind]}
          required
          type="search"
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      </div>
      {state.domain !== undefined && (
        <div className={styles.filter}>
          <SelectField
            label={t.identity.fields.domain_id}
            value={state.domain}
            onChange={(event) => onChange({ domain: event.target.value })}
          >
            <option value="">{t.identity.anyDomain}</option>
            {domains.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {state.enabled !== undefined && (
        <div className={styles.filter}>
          <SelectField
            label={t.identity.state}
            value={state.enabled}
            onChange={(event) => onChange({ enabled: event.target.value })}
          >
            <option value="">{t.identity.anyState}</option>
            <option value="true">{t.common.enabled}</option>
            <option value="false">{t.common.disabled}</option>
          </SelectField>
        </div>
      )}
      {state.only !== undefined && (
        <div className={styles.filter}>
          <SelectField
            label={t.identity.kinds.users}
            value={state.only}
            onChange={(event) => onChange({ only: event.target.value })}
          >
            <option value="">{t.identity.allUsers}</option>
            {selections.map((each) => (
              <option key={each} value={each}>
                {t.identity.selections[each]}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {children}
    </search>
  )
}
