import { useId } from 'react'
import type { Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { labelsOf } from './pick.ts'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly kind: Kind
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  /** Null where there is no room for one: it is in the box then. */
  readonly hint?: string | null
  readonly error?: string | undefined
  readonly required?: boolean
}

/** Chooses one by typing its name or id, with those in sight offered; `pick` says which it is. */
export function EntityPicker({ kind, text, onText, hint, ...field }: Props) {
  const t = useMessages()
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
