import type { Server } from '@muster/contract'
import { useState } from 'react'
import { FormDialog } from '../form/form-dialog.tsx'
import { isShownByFields, problemsOf } from '../form/field-problems.ts'
import { useMessages } from '../messages/use-messages.ts'
import { CheckField, LongTextField, TextField } from '../ui/field.tsx'
import { editChanges, editedOf } from './changed-fields.ts'
import { useAct } from './use-act.ts'

interface Props {
  readonly server: Server
  readonly onClose: () => void
}

/** Edits the name, the description and the delete protection. */
export function EditDialog({ server, onClose }: Props) {
  const { actions: t, common } = useMessages()
  const act = useAct(onClose)
  const [start] = useState(() => editedOf(server))
  const [edited, setEdited] = useState(start)
  const params = editChanges(start, edited)
  const problems = problemsOf(act.error, 'server')
  return (
    <FormDialog
      title={t.on(t.names.update, server.name)}
      submit={common.save}
      busy={act.isPending}
      error={act.error}
      isShownByFields={isShownByFields(act.error, 'server', ['name', 'description'])}
      disabledReason={params ? undefined : t.nothingChanged}
      onSubmit={() => params && act.mutate({ id: server.id, name: 'update', params })}
      onClose={onClose}
    >
      <TextField
        label={common.name}
        required
        spellCheck={false}
        maxLength={255}
        error={problems['name']}
        value={edited.name}
        onChange={(event) => setEdited({ ...edited, name: event.target.value })}
      />
      <LongTextField
        label={common.description}
        rows={3}
        error={problems['description']}
        value={edited.description}
        onChange={(event) => setEdited({ ...edited, description: event.target.value })}
      />
      <div>
        <CheckField
          label={t.protection}
          checked={edited.isProtected}
          onChange={(event) => setEdited({ ...edited, isProtected: event.target.checked })}
        />
        {start.isProtected && !edited.isProtected && <p>{t.protectionHint}</p>}
      </div>
    </FormDialog>
  )
}
