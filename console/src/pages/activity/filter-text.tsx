import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { TextField } from '../../ui/field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A filter that is typed: told to the address in the pauses. */
export function FilterText({ label, value, onChange }: Props) {
  const { box, text, type } = useDebouncedInput(value, (next) => onChange(next.trim()))
  return (
    <TextField
      ref={box}
      label={label}
      required
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  )
}
