import type { SavedView } from '@muster/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useConnection } from '../../api/connection.ts'
import { viewsQuery } from '../../api/queries/views.ts'
import { viewOf } from '../../api/query-result.ts'
import type { ListState } from '../../servers/list-state.ts'
import { fromView, isEdited, toView } from '../../servers/view-state.ts'
import { useScopePermission } from '../../session/use-scope-permission.ts'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { FailureDialog } from '../../ui/failure-dialog.tsx'
import { SaveViewDialog } from './save-view-dialog.tsx'
import type { ChangeList } from './use-list-state.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly state: ListState
  readonly onChange: ChangeList
}

/** The menu of saved views. */
export function ViewsMenu({ state, onChange }: Props) {
  const t = useMessages()
  const { user } = useSession()
  const saved = useQuery(viewsQuery)
  const { data: views = [] } = saved
  const { isConnected } = useConnection()
  const menu = viewOf(saved, isConnected)
  const [isSaving, setSaving] = useState(false)
  const [deleted, setDeleted] = useState<SavedView>()
  const current = views.find(({ id }) => id === state.view)
  const isChanged = current !== undefined && isEdited(state, current)
  const isMine = current?.user_id === user.id
  const isShared = current?.sharing === 'project'
  const canShare = useScopePermission('updateView')('project')
  const canDelete = useScopePermission('deleteView')('project')

  const update = useMutation({
    mutationFn: (id: string) =>
      api.updateView({ parameters: { id }, body: { view: toView(state) } }),
    onSuccess: () => queryClient.invalidateQueries(viewsQuery),
  })

  function findWhyNotUpdate({ user: owner }: SavedView): string | undefined {
    if (!isMine) return t.servers.notYourView(owner)
    if (isShared && !canShare) return t.servers.cannotShare
    return isChanged ? undefined : t.servers.viewUnchanged
  }

  const own = views.filter(({ user_id }) => user_id === user.id)
  const shared = views.filter(({ user_id }) => user_id !== user.id)
  return (
    <>
      <Menu
        label={t.servers.views}
        trigger={(properties) => (
          <Button icon="star" {...properties}>
            {current
              ? `${current.name}${isChanged ? ` · ${t.servers.changed}` : ''}`
              : t.servers.views}
          </Button>
        )}
      >
        {menu.kind === 'loading' && <MenuHeading>{t.common.loading}</MenuHeading>}
        {menu.kind === 'failed' && <MenuHeading>{t.errors.unreachable}</MenuHeading>}
        {menu.kind === 'empty' && <MenuHeading>{t.servers.noViews}</MenuHeading>}
        {[
          { title: t.servers.ownViews, list: own },
          { title: t.servers.sharedViews, list: shared },
        ].map(
          ({ title, list }) =>
            list.length > 0 && (
              <div key={title} role="group" aria-label={title}>
                <MenuHeading>{title}</MenuHeading>
                {list.map((view) => (
                  <MenuItem
                    key={view.id}
                    checked={view.id === state.view}
                    hint={view.user_id === user.id ? undefined : view.user}
                    onSelect={() => onChange({ ...fromView(view), panel: undefined })}
                  >
                    {view.name}
                  </MenuItem>
                ))}
              </div>
            ),
        )}
        <MenuLine />
        <MenuItem icon="plus" onSelect={() => setSaving(true)}>
          {t.servers.saveView}
        </MenuItem>
        {current && (
          <MenuItem
            icon="edit"
            disabledReason={findWhyNotUpdate(current)}
            onSelect={() => update.mutate(current.id)}
          >
            {t.servers.updateView(current.name)}
          </MenuItem>
        )}
        {current && (
          <MenuItem
            icon="trash"
            disabledReason={
              isMine || (isShared && canDelete) ? undefined : t.servers.notYourView(current.user)
            }
            onSelect={() => setDeleted(current)}
          >
            {t.servers.deleteView(current.name)}
          </MenuItem>
        )}
      </Menu>
      {isSaving && (
        <SaveViewDialog
          state={state}
          onClose={() => setSaving(false)}
          onSaved={(view) => onChange({ view })}
        />
      )}
      {deleted && (
        <DeleteViewDialog
          view={deleted}
          isMine={deleted.user_id === user.id}
          onClose={() => setDeleted(undefined)}
          onDeleted={() => onChange({ view: undefined })}
        />
      )}
      {update.isError && (
        <FailureDialog
          title={t.servers.views}
          error={update.error}
          onRetry={() => update.mutate(update.variables)}
          onClose={update.reset}
        />
      )}
    </>
  )
}

interface DeleteViewDialogProps {
  readonly view: SavedView
  readonly isMine: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function DeleteViewDialog({ view, isMine, onClose, onDeleted }: DeleteViewDialogProps) {
  const t = useMessages()
  const remove = useMutation({
    mutationFn: () => api.deleteView({ parameters: { id: view.id } }),
    onSuccess() {
      showToast(t.servers.viewDeleted)
      onDeleted()
      onClose()
      return queryClient.invalidateQueries(viewsQuery)
    },
  })
  return (
    <FormDialog
      title={t.servers.deleteViewTitle(view.name)}
      submit={t.common.delete}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      danger
    >
      <p>{isMine ? t.servers.deleteViewText : t.servers.deleteSharedText(view.user)}</p>
    </FormDialog>
  )
}
