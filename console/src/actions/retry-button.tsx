import type { Batch, Task } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { Suspense } from 'react'
import { api } from '../api/client.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { lazyPage } from '../pages/lazy-page.ts'
import { usePermission } from '../session/use-permission.ts'
import { Button } from '../ui/button.tsx'
import { FailureDialog } from '../ui/failure-dialog.tsx'
import { actionName } from './server-action.ts'
import { statusOf } from './status-of.ts'

const BatchDialog = lazyPage(() => import('./batch-dialog.tsx'), 'BatchDialog')

/** The servers of a batch whose tasks failed. Refused ones have not begun. */
async function failedServers(of: Task | Batch): Promise<readonly string[]> {
  if ('server_id' in of) return [of.server_id]
  const query = { batch_id: of.id, status: 'failed' as const, filter: "stage.notequals('refused')" }
  const tasks = await Array.fromAsync(api.all('listTasks', { query }))
  return tasks.map(({ server_id }) => server_id)
}

/** How many servers an action failed for, once it has ended. */
function countFailed(of: Task | Batch): number {
  if ('server_id' in of) return statusOf(of) === 'failed' ? 1 : 0
  return of.finished_at === null ? 0 : of.failed
}

/** Sends an action again for the servers that it failed for, after a preview. */
export function RetryButton({ of, label }: { readonly of: Task | Batch; readonly label: string }) {
  const { tasks: t } = useMessages()
  const { number } = useFormat()
  const { reason } = usePermission('createBatch')
  const failed = countFailed(of)
  const load = useMutation({ mutationFn: () => failedServers(of) })
  if (failed === 0) return null
  const text = 'server_id' in of ? t.retry : t.retryFailed(number(failed))
  return (
    <>
      <Button
        small
        icon="refresh"
        busy={load.isPending}
        disabledReason={reason}
        aria-label={t.retryOf(text, label)}
        onClick={() => load.mutate()}
      >
        {text}
      </Button>
      {load.data && (
        <Suspense>
          <BatchDialog
            name={actionName(of.action, of.params)}
            target={{ ids: load.data }}
            repeated={of.params}
            listed={load.data.length}
            onClose={load.reset}
            onStarted={load.reset}
          />
        </Suspense>
      )}
      {load.isError && (
        <FailureDialog
          title={t.retryOf(t.retry, label)}
          error={load.error}
          onRetry={() => load.mutate()}
          onClose={load.reset}
        />
      )}
    </>
  )
}
