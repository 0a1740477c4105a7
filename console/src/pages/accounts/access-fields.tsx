import { useMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { Problems } from './account-problems.ts'
import type { AccountValues } from './account-values.ts'
import { FormSection } from './form-section.tsx'
import { useProblemText } from './use-problem-text.ts'

interface Props {
  readonly values: AccountValues
  readonly problems: Problems
  readonly onChange: (change: Partial<AccountValues>) => void
}

/** Whether Muster may act on the servers of an account. */
export function AccessFields({ values, problems, onChange }: Props) {
  const { accounts: t } = useMessages()
  const problem = useProblemText(problems)
  const { access, maxActions } = values
  return (
    <FormSection title={t.accessSection}>
      <SelectField
        label={t.accessSection}
        name="access"
        hint={t.accessHints[access]}
        error={problem('access', t.accessSection)}
        value={access}
        onChange={(event) => onChange({ access: event.target.value as AccountValues['access'] })}
      >
        <option value="observe">{t.accesses.observe}</option>
        <option value="manage">{t.accesses.manage}</option>
      </SelectField>
      {access === 'manage' && (
        <TextField
          label={t.maxActions}
          name="max_actions"
          hint={t.maxActionsHint}
          error={problem('max_actions', t.maxActions)}
          inputMode="numeric"
          value={maxActions}
          onChange={(event) => onChange({ maxActions: event.target.value })}
        />
      )}
    </FormSection>
  )
}
