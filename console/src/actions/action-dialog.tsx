import type { Server } from '@muster/contract'
import { useState } from 'react'
import { FormDialog } from '../form/form-dialog.tsx'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { TextField } from '../ui/field.tsx'
import { ActionFields } from './action-fields.tsx'
import { ActionText } from './action-text.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { ResizeDialog } from './resize-dialog.tsx'
import { isDestructive, isTimeout, noOptions, paramsOf, type ActionName } from './server-action.ts'
import { useAct } from './use-act.ts'

interface Props {
  readonly server: Server
  readonly name: ActionName
  readonly onClose: () => void
}

/** The dialog of an action on one server. */
export function ActionDialog(props: Props) {
  if (props.name === 'change-config') return <ResizeDialog {...props} />
  if (props.name === 'update') return <EditDialog {...props} />
  return <ConfirmDialog {...props} />
}

/** Says what will happen. If data can be lost, the name of the server must be typed. */
function ConfirmDialog({ server, name, onClose }: Props) {
  const { actions: t } = useMessages()
  const { dateTime } = useFormat()
  const act = useAct(onClose)
  const [options, setOptions] = useState(noOptions)
  const [typed, setTyped] = useState('')
  const { scaling_group_id: group, auto_delete_at: end } = server
  const mustType = isDestructive(name, options)
  const isTyped = !mustType || typed.trim() === server.name
  return (
    <FormDialog
      title={t.on(t.names[name], server.name)}
      submit={t.names[name]}
      danger={mustType}
      busy={act.isPending}
      error={act.error}
      disabledReason={
        isTimeout(options.timeout) ? (isTyped ? undefined : t.notTyped) : t.timeoutWrong
      }
      onSubmit={() => act.mutate({ id: server.id, name, params: paramsOf(name, options) })}
      onClose={onClose}
    >
      <ActionText name={name} />
      {server.pending_deleted && end !== null && <p>{t.binUntil(dateTime(end))}</p>}
      {group !== '' && <p role="note">{t.groupText(group)}</p>}
      <ActionFields
        name={name}
        options={options}
        onChange={setOptions}
        groupLabel={group === '' ? undefined : t.forceGroup}
      />
      {mustType && (
        <TextField
          label={t.typeName(server.name)}
          required
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </FormDialog>
  )
}
