import type { Batch } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { actOnServer } from '../api/act-on-server.ts'
import { api } from '../api/client.ts'
import { dismissTasks, followBatch, followTask } from '../api/queries/tracked-tasks.ts'
import { queryClient } from '../api/query-client.ts'
import { createRequestKeys } from '../api/request-keys.ts'
import type { Tracked } from '../api/tracked-tasks.ts'
import { useMessages } from '../messages/use-messages.ts'
import { showToast } from '../ui/show-toast.ts'
import { actionName } from './server-action.ts'

const action = 'cancel-delete'

/** Whether servers were moved to the recycle bin, from which they can be restored. */
export function canUndo(item: Tracked): boolean {
  const done = item.kind === 'task' ? item.task : item.batch
  if (!done || actionName(done.action, done.params) !== 'delete') return false
  return item.kind === 'task'
    ? item.task?.status === 'succeeded'
    : item.batch?.finished_at !== null && (item.batch?.succeeded ?? 0) > 0
}

/** Restores what a task or batch moved to the recycle bin. */
export function useUndo(item: Tracked) {
  const { actions: t } = useMessages()
  const [keys] = useState(createRequestKeys)
  return useMutation({
    mutationFn: async () => {
      const key = keys.keyOf(item.id)
      if (item.kind === 'task') {
        const id = item.task?.server_id ?? ''
        const { server, taskId } = await actOnServer({ action, id, params: {}, key })
        if (taskId !== undefined) followTask(taskId)
        showToast(t.done(t.names[action], server.name))
        return
      }
      const query = { batch_id: item.id, status: 'succeeded' as const }
      const tasks = await Array.fromAsync(api.all('listTasks', { query }))
      const body = { batch: { action, ids: tasks.map(({ server_id }) => server_id) } as const }
      const headers = { 'idempotency-key': key }
      followBatch((await api.createBatch({ body, headers })).batch as Batch)
    },
    onSuccess() {
      dismissTasks([item.id])
      void queryClient.invalidateQueries({ queryKey: ['servers'] })
    },
  })
}
