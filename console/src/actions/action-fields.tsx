import { useMessages } from '../messages/use-messages.ts'
import { CheckField, TextField } from '../ui/field.tsx'
import {
  asksForTimeout,
  isDeletion,
  isTimeout,
  type ActionName,
  type ActionOptions,
} from './server-action.ts'
import { useBinSpan } from './use-bin-span.ts'

interface Props {
  readonly name: ActionName
  readonly options: ActionOptions
  readonly onChange: (options: ActionOptions) => void
  /** The label of the box that allows to act on servers of a scaling group; undefined for no box. */
  readonly groupLabel?: string | undefined
}

/** The options of an action. Nothing is deleted or switched off unless a box is checked. */
export function ActionFields({ name, options, onChange, groupLabel }: Props) {
  const { actions: t } = useMessages()
  const binSpan = useBinSpan()
  const box = (key: Exclude<keyof ActionOptions, 'timeout'>, label: string) => (
    <CheckField
      label={label}
      checked={options[key]}
      onChange={(event) => onChange({ ...options, [key]: event.target.checked })}
    />
  )
  return (
    <>
      {asksForTimeout(name) && (
        <TextField
          label={t.timeout}
          hint={t.timeoutHint}
          error={isTimeout(options.timeout) ? undefined : t.timeoutWrong}
          inputMode="numeric"
          value={options.timeout}
          onChange={(event) => onChange({ ...options, timeout: event.target.value.trim() })}
        />
      )}
      {asksForTimeout(name) && (
        <div>
          {box('isForced', t.force)}
          {options.isForced && <p>{t.forceText}</p>}
        </div>
      )}
      {isDeletion(name) && (
        <div>
          <p>{t.disksStay}</p>
          {box('deletesDisks', t.deleteDisks)}
          {box('deletesSnapshots', t.deleteSnapshots)}
          {name === 'delete' && binSpan !== null && box('skipsBin', t.skipBin)}
          {groupLabel !== undefined && box('isForced', groupLabel)}
        </div>
      )}
    </>
  )
}
