import type { Server } from '@muster/contract'
import { useState } from 'react'
import { FormDialog } from '../form/form-dialog.tsx'
import { useMessages } from '../messages/use-messages.ts'
import { CheckField, TextField } from '../ui/field.tsx'
import { hasInstanceTypes, isCount, sizeChanges, sizeOf, type Size } from './changed-fields.ts'
import { useAct } from './use-act.ts'

interface Props {
  readonly server: Server
  readonly onClose: () => void
}

export function ResizeDialog({ server, onClose }: Props) {
  const { actions: t } = useMessages()
  const act = useAct(onClose)
  const [start] = useState(() => sizeOf(server))
  const [size, setSize] = useState(start)
  const params = sizeChanges(start, size)
  const title = t.names['change-config']
  const count = (key: 'vcpus' | 'memory') => (
    <TextField
      label={t[key]}
      required
      inputMode="numeric"
      error={size[key] === start[key] || isCount(size[key]) ? undefined : t.wholeNumber}
      value={size[key]}
      onChange={(event) => setSize({ ...size, [key]: event.target.value.trim() } satisfies Size)}
    />
  )
  return (
    <FormDialog
      title={t.on(title, server.name)}
      submit={title}
      busy={act.isPending}
      error={act.error}
      disabledReason={params ? undefined : t.nothingChanged}
      onSubmit={() => params && act.mutate({ id: server.id, name: 'change-config', params })}
      onClose={onClose}
    >
      {hasInstanceTypes(server) ? (
        <TextField
          label={t.instanceType}
          required
          spellCheck={false}
          maxLength={255}
          value={size.instanceType}
          onChange={(event) => setSize({ ...size, instanceType: event.target.value })}
        />
      ) : (
        <>
          <p>{t.texts['change-config']}</p>
          {count('vcpus')}
          {count('memory')}
        </>
      )}
      <CheckField
        label={t.forceStop}
        checked={size.forcesStop}
        onChange={(event) => setSize({ ...size, forcesStop: event.target.checked })}
      />
    </FormDialog>
  )
}
