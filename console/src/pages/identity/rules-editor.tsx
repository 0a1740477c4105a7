import type { PolicyRule } from '@muster/contract'
import { useId, useState } from 'react'
import type { Problems } from '../../form/field-problems.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { newRule } from './form-values.ts'
import { policyActions, policyServices } from './policy-options.ts'
import styles from './rules-editor.module.css'
import { usePolicyResources } from './use-policy-resources.ts'

interface Props {
  readonly rules: readonly PolicyRule[]
  readonly onChange: (rules: readonly PolicyRule[]) => void
  readonly problems: Problems
}

/** The rules of a policy, a row each. */
export function RulesEditor({ rules, onChange, problems }: Props) {
  const t = useAllMessages()
  const listId = useId()
  const resources = usePolicyResources()
  // Rules have no IDs. Keys keep the focus when a rule above is removed.
  const [ids, setIds] = useState(() => rules.map((_, at) => at))
  const set = (at: number, changes: Partial<PolicyRule>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...changes } : rule)))
  const problemOf = (at: number, name: keyof PolicyRule, label: string) => {
    const problem = problems[`rules.${at}.${name}`]
    return problem === undefined ? undefined : t.identity.problem(label, problem)
  }
  return (
    <fieldset className={styles.rules}>
      <legend>{t.identity.rules}</legend>
      <p className={styles.hint}>{t.identity.ruleOrder}</p>
      {problems['rules'] !== undefined && (
        <p role="alert">{t.identity.problem(t.identity.rules, problems['rules'])}</p>
      )}
      {rules.map((rule, at) => (
        <div
          key={ids[at]}
          className={styles.rule}
          role="group"
          aria-label={t.identity.rule(at + 1)}
        >
          <SelectField
            label={t.identity.effect}
            value={rule.effect}
            error={problemOf(at, 'effect', t.identity.effect)}
            onChange={(event) => set(at, { effect: event.target.value as PolicyRule['effect'] })}
          >
            <option value="allow">{t.identity.allow}</option>
            <option value="deny">{t.identity.deny}</option>
          </SelectField>
          <SelectField
            label={t.identity.service}
            value={rule.service}
            error={problemOf(at, 'service', t.identity.service)}
            onChange={(event) => set(at, { service: event.target.value as PolicyRule['service'] })}
          >
            <option value="*">{t.identity.any}</option>
            {policyServices.map((service) => (
              <option key={service}>{service}</option>
            ))}
          </SelectField>
          <TextField
            label={t.identity.resource}
            required
            list={listId}
            value={rule.resource}
            error={problemOf(at, 'resource', t.identity.resource)}
            onChange={(event) => set(at, { resource: event.target.value })}
          />
          <SelectField
            label={t.identity.action}
            value={rule.action}
            error={problemOf(at, 'action', t.identity.action)}
            onChange={(event) => set(at, { action: event.target.value as PolicyRule['action'] })}
          >
            <option value="*">{t.identity.any}</option>
            {policyActions.map((action) => (
              <option key={action}>{action}</option>
            ))}
          </SelectField>
          <Button
            className={styles.remove}
            look="quiet"
            icon="trash"
            label={t.identity.removeRule(at + 1)}
            disabledReason={rules.length === 1 ? t.identity.lastRule : undefined}
            onClick={() => {
              setIds(ids.filter((_, index) => index !== at))
              onChange(rules.filter((_, index) => index !== at))
            }}
          />
        </div>
      ))}
      <datalist id={listId}>
        <option value="*" />
        {resources.map((resource) => (
          <option key={resource} value={resource} />
        ))}
      </datalist>
      <Button
        small
        icon="plus"
        onClick={() => {
          setIds([...ids, Math.max(...ids) + 1])
          onChange([...rules, newRule])
        }}
      >
        {t.identity.addRule}
      </Button>
    </fieldset>
  )
}
