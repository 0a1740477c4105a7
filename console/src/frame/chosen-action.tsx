import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { ActionName } from '../actions/server-action.ts'
import { serverQuery } from '../api/queries/server.ts'
import { useMessages } from '../messages/use-messages.ts'
import { lazyPage } from '../pages/lazy-page.ts'
import { FailureDialog } from '../ui/failure-dialog.tsx'

const ActionDialog = lazyPage(() => import('../actions/action-dialog.tsx'), 'ActionDialog')

/** A server, and what to do with it. */
export interface ServerCommand {
  readonly id: string
  readonly action: ActionName
}

interface Props {
  readonly command: ServerCommand
  readonly onClose: () => void
}

/** Asks before an action that was chosen in the palette. */
export function ChosenAction({ command: { id, action }, onClose }: Props) {
  const { actions: t } = useMessages()
  const { data: server, error, refetch } = useQuery(serverQuery(id))
  if (server) {
    return (
      <Suspense>
        <ActionDialog server={server} name={action} onClose={onClose} />
      </Suspense>
    )
  }
  if (!error) return null
  return (
    <FailureDialog
      title={t.names[action]}
      error={error}
      onRetry={() => void refetch()}
      onClose={onClose}
    />
  )
}
