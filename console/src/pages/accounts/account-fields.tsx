import type { CloudProvider } from '@muster/contract'
import { ProjectField } from '../../form/project-field.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import type { Problems } from './account-problems.ts'
import type { AccountValues } from './account-values.ts'
import { AccessFields } from './access-fields.tsx'
import { FormSection } from './form-section.tsx'
import { useProblemText } from './use-problem-text.ts'
import { useProjects } from './use-projects.ts'

interface Props {
  readonly provider: CloudProvider
  readonly isExisting: boolean
  readonly values: AccountValues
  readonly problems: Problems
  readonly onChange: (change: Partial<AccountValues>) => void
}

/** The fields that all accounts have. */
export function AccountFields({ provider, isExisting, values, problems, onChange }: Props) {
  const t = useMessages()
  const { choices } = useProjects()
  const problem = useProblemText(problems)
  return (
    <>
      <FormSection title={t.accounts.accountSection}>
        <TextField
          label={t.common.name}
          name="name"
          hint={t.accounts.nameHint}
          error={problem('name', t.common.name)}
          required
          maxLength={255}
          value={values.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <ProjectField
          choices={choices}
          label={t.accounts.project}
          name="project_id"
          hint={t.accounts.projectHint}
          error={problem('project_id', t.accounts.project)}
          value={values.projectId}
          onChange={(projectId) => onChange({ projectId })}
        />
        <TextField
          label={t.accounts.period}
          name="period"
          hint={t.accounts.periodHint(String(provider.period))}
          error={problem('period', t.accounts.period)}
          inputMode="numeric"
          required={isExisting}
          placeholder={String(provider.period)}
          value={values.period}
          onChange={(event) => onChange({ period: event.target.value })}
        />
        <TextField
          label={t.accounts.requestTimeout}
          name="request_timeout"
          hint={t.accounts.requestTimeoutHint}
          error={problem('request_timeout', t.accounts.requestTimeout)}
          inputMode="numeric"
          required={isExisting}
          value={values.requestTimeout}
          onChange={(event) => onChange({ requestTimeout: event.target.value })}
        />
      </FormSection>
      {provider.actions.length > 0 && (
        <AccessFields values={values} problems={problems} onChange={onChange} />
      )}
    </>
  )
}
