import type { PolicyRule } from '@muster/contract'
import { wideField } from '../../form/form-dialog.tsx'
import type { Problems } from '../../form/field-problems.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import type { Field, FormValue } from './form-values.ts'
import { RulesEditor } from './rules-editor.tsx'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly field: Field
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
  readonly problems: Problems
}

const levels = ['project', 'domain', 'system'] as const

/** The control for one field of a form. */
export function EntityField({ field, value, onChange, problems }: Props) {
  const t = useAllMessages()
  const domains = useChoices('domains')
  const projects = useChoices('projects')
  const users = useChoices('users')
  const { name, input, required } = field
  const label = t.identity.fields[name]
  const problem = problems[name]
  const hints: Readonly<Partial<Record<string, string>>> = t.identity.hints
  const text = typeof value === 'string' ? value : ''
  const shared = {
    label,
    required,
    value: text,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value),
    ...(hints[name] !== undefined && { hint: hints[name] }),
    error: problem === undefined ? undefined : t.identity.problem(label, problem),
  }
  switch (input) {
    case 'text':
      return <TextField {...shared} />
    case 'password':
      return <TextField {...shared} type="password" autoComplete="new-password" />
    case 'dateTime':
      return <TextField {...shared} type="datetime-local" />
    case 'long':
      return (
        <div className={wideField}>
          <LongTextField {...shared} rows={3} />
        </div>
      )
    case 'scope':
      return (
        <SelectField {...shared}>
          {levels.map((level) => (
            <option key={level} value={level}>
              {t.identity.levels[level]}
            </option>
          ))}
        </SelectField>
      )
    case 'domain':
    case 'user':
    case 'project': {
      const choices = { domain: domains, user: users, project: projects }[input]
      const isKnown = text === '' || choices.some(({ id }) => id === text)
      return (
        <SelectField {...shared}>
          {input === 'project' && !required && <option value="">{t.common.none}</option>}
          {!isKnown && <option value={text}>{text}</option>}
          {choices.map(({ id, name, domain }) => (
            <option key={id} value={id}>
              {domain === undefined ? name : `${name} · ${domain}`}
            </option>
          ))}
        </SelectField>
      )
    }
    case 'rules':
      return (
        <RulesEditor
          rules={value as readonly PolicyRule[]}
          onChange={onChange}
          problems={problems}
        />
      )
  }
}
