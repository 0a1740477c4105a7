import type { SavedView } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { viewsQuery } from '../../api/queries/views.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly view: SavedView
  readonly isMine: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteViewDialog({ view, isMine, onClose, onDeleted }: Props) {
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
