import type { CloudProvider } from '@muster/contract'
import { endSentence } from '../../messages/end-sentence.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import type { Problems } from './account-problems.ts'
import type { AccountValues, Settings } from './account-values.ts'
import { CredentialsFields } from './credentials-fields.tsx'
import { fieldLabel } from './field-label.ts'
import { FormSection } from './form-section.tsx'
import { OptionField } from './option-field.tsx'
import { RightsToCopy } from './rights-to-copy.tsx'
import { useProblemText } from './use-problem-text.ts'

interface Props {
  readonly provider: CloudProvider
  readonly access: AccountValues['access']
  readonly isExisting: boolean
  readonly settings: Settings
  readonly problems: Problems
  readonly onChange: (change: Partial<Settings>) => void
}

/** The connection fields that the provider describes. */
export function SettingsFields(props: Props) {
  const { provider, access, isExisting, settings, problems, onChange } = props
  const t = useMessages()
  const problem = useProblemText(problems)
  const { address, credentials, options } = provider
  // Providers without a required or example address need none.
  const hasAddress = address.required || address.example !== '' || settings.address !== ''
  return (
    <>
      {hasAddress && (
        <FormSection title={t.accounts.connectionSection}>
          <TextField
            label={t.accounts.address}
            name="address"
            hint={
              <>
                {endSentence(address.description, t.common.fullStop)} {t.accounts.example}:{' '}
                <code>{address.example}</code>
              </>
            }
            error={problem('address', t.accounts.address)}
            required={address.required}
            spellCheck={false}
            maxLength={1024}
            value={settings.address}
            onChange={(event) => onChange({ address: event.target.value })}
          />
        </FormSection>
      )}
      <RightsToCopy provider={provider} access={access} />
      {credentials.length > 0 && (
        <CredentialsFields
          fields={credentials}
          isExisting={isExisting}
          settings={settings}
          problems={problems}
          onChange={onChange}
        />
      )}
      {options.length > 0 && (
        <FormSection title={t.accounts.optionsSection}>
          {options.map((field) => {
            const { name } = field
            const label = fieldLabel(name, t.accounts.fieldNames)
            return (
              <OptionField
                key={name}
                field={field}
                label={label}
                error={problem(`options.${name}`, label)}
                value={settings.options[name] ?? ''}
                onChange={(text) => onChange({ options: { ...settings.options, [name]: text } })}
              />
            )
          })}
        </FormSection>
      )}
    </>
  )
}
