import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { serverQuery } from '../../api/queries/server.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'

/** Asks a server's source how it is now. `onWait`: the answer takes its time. */
export function useSyncServer(id: string, onWait: () => void) {
  const { server: t } = useMessages()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api.request('syncServer', { parameters: { id } }),
    async onSuccess({ body }) {
      if (body === undefined) onWait()
      else queryClient.setQueryData(serverQuery(id).queryKey, body.server)
      showToast(body === undefined ? t.syncing : t.synced)
      await queryClient.invalidateQueries({ queryKey: ['servers', 'history', id] })
    },
  })
}
