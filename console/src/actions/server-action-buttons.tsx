import type { Server } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { serverActionsQuery } from '../api/queries/tasks.ts'
import { describeRefusal } from '../messages/describe-problem.ts'
import { useMessages } from '../messages/use-messages.ts'
import { lazyPage } from '../pages/lazy-page.ts'
import { ActionButtons } from './action-buttons.tsx'
import {
  apiAction,
  binActions,
  isImmediate,
  mainActions,
  menuActions,
  type ActionName,
} from './server-action.ts'
import { useAct } from './use-act.ts'
import { isApiError } from '@muster/sdk'
import { FailureDialog } from '../ui/failure-dialog.tsx'

const ActionDialog = lazyPage(() => import('./action-dialog.tsx'), 'ActionDialog')

/** The actions on a server. What is not allowed is disabled and says why. */
export function ServerActionButtons({ server }: { readonly server: Server }) {
  const messages = useMessages()
  const { actions: t, common, problems, values } = messages
  const [open, setOpen] = useState<ActionName>()
  const act = useAct()
  const { id, status, update_version: version, pending_deleted: isInBin } = server
  const { data, error } = useQuery(serverActionsQuery(id, `${status} ${version} ${isInBin}`))

  function whyNot(name: ActionName): string | undefined {
    const decision = data?.[apiAction(name)]
    if (decision?.allowed) return undefined
    // Without an error class, the action would have no effect.
    if (decision && decision.class === undefined && values.statuses[status])
      return problems.already(values.statuses[status])
    if (decision) return describeRefusal(messages, decision) ?? decision.reason
    return isApiError(error) ? error.details : common.loading
  }

  const canPurge = data?.purge.allowed === true
  return (
    <>
      <ActionButtons
        buttons={isInBin ? binActions.slice(0, 1) : mainActions}
        items={isInBin ? binActions.slice(1) : canPurge ? [...menuActions, 'purge'] : menuActions}
        busy={act.isPending ? act.variables.name : undefined}
        whyNot={whyNot}
        onAction={(name) => (isImmediate(name) ? act.mutate({ id, name }) : setOpen(name))}
      />
      {open && (
        <Suspense>
          <ActionDialog server={server} name={open} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
      {act.isError && (
        <FailureDialog
          title={t.on(t.names[act.variables.name], server.name)}
          error={act.error}
          onRetry={() => act.mutate(act.variables)}
          onClose={act.reset}
        />
      )}
    </>
  )
}
