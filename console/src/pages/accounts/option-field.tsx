import { endSentence } from '../../messages/end-sentence.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import type { SettingField } from './account-values.ts'

interface Props {
  readonly field: SettingField
  readonly label: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The control for a provider's option. */
export function OptionField({ field, label, error, value, onChange }: Props) {
  const t = useMessages()
  const { name, type, required, long, description } = field
  const isList = type === 'list'
  const shared = {
    name: `options.${name}`,
    label,
    hint: isList
      ? `${endSentence(description, t.common.fullStop)} ${t.accounts.onePerLine}`
      : description,
    error,
    required,
    value,
  }
  if (type === 'boolean') {
    return (
      <SelectField {...shared} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t.accounts.asProvider}</option>
        <option value="true">{t.common.yes}</option>
        <option value="false">{t.common.no}</option>
      </SelectField>
    )
  }
  if (long || isList) {
    return <LongTextField {...shared} onChange={(event) => onChange(event.target.value)} />
  }
  return (
    <TextField
      {...shared}
      inputMode={type === 'integer' ? 'numeric' : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
