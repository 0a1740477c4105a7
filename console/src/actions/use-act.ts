import type { TaskParameters } from '@muster/contract'
import { ApiError } from '@muster/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { actOnServer } from '../api/act-on-server.ts'
import { serverQuery } from '../api/queries/server.ts'
import { followTask } from '../api/queries/tracked-tasks.ts'
import { queryClient } from '../api/query-client.ts'
import { createRequestKeys } from '../api/request-keys.ts'
import { useMessages } from '../messages/use-messages.ts'
import { showToast } from '../ui/show-toast.ts'
import { apiAction, type ActionName } from './server-action.ts'

interface Act {
  readonly id: string
  readonly name: ActionName
  readonly params?: TaskParameters
}

/** After other errors the request may have been carried out: a retry must not act twice. */
const isRefused = (error: unknown) => error instanceof ApiError && error.status < 500

/** Acts on a server, and shows the task in the drawer. */
export function useAct(onDone?: () => void) {
  const { actions: t } = useMessages()
  const [keys] = useState(createRequestKeys)
  return useMutation({
    mutationFn: ({ id, name, params = {} }: Act) => {
      const action = apiAction(name)
      return actOnServer({ action, id, params, key: keys.keyOf([action, id, params]) })
    },
    onSuccess({ server, taskId }, { id, name }) {
      keys.forget()
      queryClient.setQueryData(serverQuery(id).queryKey, (old) => old && server)
      if (taskId === undefined) showToast(t.done(t.names[name], server.name))
      else followTask(taskId)
      void queryClient.invalidateQueries({ queryKey: ['servers'] })
      onDone?.()
    },
    onError: (error) => isRefused(error) && keys.forget(),
  })
}
