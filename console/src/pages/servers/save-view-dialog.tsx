import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { viewsQuery } from '../../api/queries/views.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import type { ListState } from '../../servers/list-state.ts'
import { toView } from '../../servers/view-state.ts'
import { useScopePermission } from '../../session/use-scope-permission.ts'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly state: ListState
  readonly onClose: () => void
  readonly onSaved: (id: string) => void
}

export function SaveViewDialog({ state, onClose, onSaved }: Props) {
  const t = useMessages()
  const { scope } = useSession()
  const canShare = useScopePermission('createView')('project')
  const [name, setName] = useState('')
  const [sharing, setSharing] = useState<'private' | 'project'>('private')
  const save = useMutation({
    mutationFn: () => api.createView({ body: { view: { name, sharing, ...toView(state) } } }),
    async onSuccess({ view }) {
      await queryClient.invalidateQueries(viewsQuery)
      showToast(t.servers.viewSaved(view.name))
      onSaved(view.id)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.servers.saveView}
      submit={t.common.save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
    >
      <TextField
        label={t.common.name}
        hint={t.servers.viewHint}
        required
        autoFocus
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={t.servers.sharing}
        hint={scope.kind === 'project' && !canShare ? t.servers.cannotShare : undefined}
        required
        value={sharing}
        onChange={(event) => setSharing(event.target.value === 'project' ? 'project' : 'private')}
      >
        <option value="private">{t.servers.onlyMe}</option>
        {scope.kind === 'project' && (
          <option value="project" disabled={!canShare}>
            {t.servers.everyoneIn(scope.name)}
          </option>
        )}
      </SelectField>
    </FormDialog>
  )
}
