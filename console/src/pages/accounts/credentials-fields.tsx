import { useMessages } from '../../messages/use-messages.ts'
import { CheckField } from '../../ui/field.tsx'
import styles from './account-form.module.css'
import type { Problems } from './account-problems.ts'
import type { SettingField, Settings } from './account-values.ts'
import { fieldLabel } from './field-label.ts'
import { FormSection } from './form-section.tsx'
import { CredentialField } from './credential-field.tsx'
import { useProblemText } from './use-problem-text.ts'
import { StatusShape } from '../../ui/status-mark.tsx'

interface Props {
  readonly fields: readonly SettingField[]
  readonly isExisting: boolean
  readonly settings: Settings
  readonly problems: Problems
  readonly onChange: (change: Partial<Settings>) => void
}

/** The credential fields. They are never stored in the browser. */
export function CredentialsFields({ fields, isExisting, settings, problems, onChange }: Props) {
  const t = useMessages()
  const problem = useProblemText(problems)
  const { credentials, forgetsCredentials } = settings
  const all = problem('credentials', t.accounts.credentialsSection)
  const canForget = isExisting && fields.every(({ required }) => !required)
  return (
    <FormSection
      title={t.accounts.credentialsSection}
      lead={
        isExisting
          ? `${t.accounts.storedCredentialsHint} ${t.accounts.storedEncrypted}`
          : t.accounts.storedEncrypted
      }
    >
      {all !== undefined && (
        <p className={styles.problem} role="alert">
          <StatusShape tone="bad" />
          {all}
        </p>
      )}
      {!forgetsCredentials &&
        fields.map(({ name, required, long, secret, description }) => {
          const label = fieldLabel(name, t.accounts.fieldNames)
          return (
            <CredentialField
              key={name}
              label={label}
              name={`credentials.${name}`}
              // Skip hints that repeat the label.
              hint={description === label ? undefined : description}
              error={problem(`credentials.${name}`, label)}
              required={required && !isExisting}
              isLong={long}
              isSecret={secret}
              placeholder={isExisting ? t.accounts.unchanged : undefined}
              value={credentials[name] ?? ''}
              onChange={(text) => onChange({ credentials: { ...credentials, [name]: text } })}
            />
          )
        })}
      {canForget && (
        <CheckField
          label={t.accounts.deleteCredentials}
          checked={forgetsCredentials}
          onChange={(event) =>
            onChange({
              forgetsCredentials: event.target.checked,
              credentials: Object.fromEntries(fields.map(({ name }) => [name, ''])),
            })
          }
        />
      )}
    </FormSection>
  )
}
