import { wideField } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { CredentialField } from '../accounts/credential-field.tsx'
import type { DriverField } from './option-values.ts'

interface Props {
  readonly field: DriverField
  readonly label: string
  readonly error: string | undefined
  readonly isExisting: boolean
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The control for an option of an identity provider. */
export function DriverOptionField({ field, label, error, isExisting, value, onChange }: Props) {
  const t = useMessages()
  const { name, type, required, long, secret, choices, description } = field
  const shared = { name: `options.${name}`, label, hint: description, error, required, value }
  const onText = (event: { readonly target: { readonly value: string } }) =>
    onChange(event.target.value)
  if (secret) {
    return (
      <CredentialField
        {...shared}
        isLong={false}
        isSecret
        placeholder={isExisting ? t.accounts.unchanged : undefined}
        onChange={onChange}
      />
    )
  }
  if (type === 'boolean' || choices.length > 0) {
    const values = type === 'boolean' ? ['true', 'false'] : choices.map(String)
    const yesOrNo: Readonly<Record<string, string>> = { true: t.common.yes, false: t.common.no }
    return (
      <SelectField {...shared} required onChange={onText}>
        {values.map((each) => (
          <option key={each} value={each}>
            {type === 'boolean' ? yesOrNo[each] : each}
          </option>
        ))}
      </SelectField>
    )
  }
  if (long) {
    return (
      <div className={wideField}>
        <LongTextField {...shared} rows={3} onChange={onText} />
      </div>
    )
  }
  return <TextField {...shared} spellCheck={false} onChange={onText} />
}
