import { useId } from 'react'
import type { Kind } from '../../api/kind-operations.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { labelsOf } from './pick.ts'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly kind: Kind
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  /** Null to show the hint as a placeholder. */
  readonly hint?: string | null
  readonly error?: string | undefined
  readonly required?: boolean
}

/** Picks an entity by name or ID, with suggestions. `pick` resolves the text. */
export function EntityPicker({ kind, text, onText, hint, ...field }: Props) {
  const t = useAllMessages()
  const id = useId()
  const choices = useChoices(kind)
  return (
    <>
      <TextField
        {...field}
        {...(hint === null
          ? { placeholder: t.identity.pickHint }
          : { hint: hint ?? t.identity.pickHint })}
        list={id}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <datalist id={id}>
        {[...labelsOf(choices)].map(([label, value]) => (
          <option key={value} value={label} />
        ))}
      </datalist>
    </>
  )
}
