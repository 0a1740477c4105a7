import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { Choice } from '../identity/pick.ts'
import styles from './identity-providers.module.css'
import { appliesTo, type Draft } from './mapping-drafts.ts'

interface Props {
  readonly draft: Draft
  readonly title: string
  readonly problem: string | undefined
  readonly roles: readonly Choice[]
  readonly projects: readonly Choice[]
  readonly domains: readonly Choice[]
  readonly disabledReason: string | undefined
  readonly onChange: (draft: Draft) => void
  readonly onRemove: () => void
}

/** A rule of a mapping: who gets which role, and where. */
export function MappingRule(props: Props) {
  const { draft, title, problem, roles, projects, domains, disabledReason } = props
  const { onChange, onRemove } = props
  const { providers: t, identity } = useAllMessages()
  const { to, attribute, text, roleId, place } = draft
  const set = (changes: Partial<Draft>) => onChange({ ...draft, ...changes })
  const places = [
    { label: identity.kinds.projects, key: 'project_id', choices: projects },
    { label: identity.kinds.domains, key: 'domain_id', choices: domains },
  ]
  const isKnown = (choices: readonly Choice[], id: string) =>
    id === '' || choices.some((choice) => choice.id === id)
  const [, placeId = ''] = place.split(':', 2)
  return (
    <fieldset className={styles.rule}>
      <legend>{title}</legend>
      <SelectField
        label={t.appliesTo}
        value={to}
        onChange={(event) => set({ to: event.target.value as Draft['to'] })}
      >
        {appliesTo.map((each) => (
          <option key={each} value={each}>
            {t.appliesToNames[each]}
          </option>
        ))}
      </SelectField>
      {to !== 'everybody' && (
        <>
          <TextField
            label={t.attribute}
            required
            spellCheck={false}
            value={attribute}
            onChange={(event) => set({ attribute: event.target.value })}
          />
          <TextField
            label={t.texts[to]}
            required
            spellCheck={false}
            hint={to === 'pattern' ? t.patternHint : undefined}
            value={text}
            onChange={(event) => set({ text: event.target.value })}
          />
        </>
      )}
      <SelectField
        label={identity.role}
        value={roleId}
        onChange={(event) => set({ roleId: event.target.value })}
      >
        <option value="">{identity.chooseRole}</option>
        {!isKnown(roles, roleId) && <option value={roleId}>{roleId}</option>}
        {roles.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={identity.where}
        value={place}
        onChange={(event) => set({ place: event.target.value })}
      >
        <option value="">{t.choosePlace}</option>
        {!isKnown([...projects, ...domains], placeId) && <option value={place}>{placeId}</option>}
        {places.map(({ label, key, choices }) => (
          <optgroup key={key} label={label}>
            {choices.map(({ id, name, domain }) => (
              <option key={id} value={`${key}:${id}`}>
                {domain === undefined ? name : `${name} · ${domain}`}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      {problem !== undefined && (
        <p className={`${styles.wide} ${styles.problem}`} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.wide}>
        <Button
          small
          look="quiet"
          icon="trash"
          label={t.removeRule(title)}
          disabledReason={disabledReason}
          onClick={onRemove}
        >
          {identity.remove}
        </Button>
      </div>
    </fieldset>
  )
}
