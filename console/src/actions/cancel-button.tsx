import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Tracked } from '../api/tracked-tasks.ts'
import { trackedTasksQuery } from '../api/queries/tracked-tasks.ts'
import { queryClient } from '../api/query-client.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { FailureDialog } from '../ui/failure-dialog.tsx'
import { showToast } from '../ui/show-toast.ts'

interface Props {
  readonly kind: Tracked['kind']
  readonly id: string
  /** What is cancelled, for screen readers. */
  readonly label: string
}

/** Cancels a task that was not sent, or the rest of a batch. */
export function CancelButton({ kind, id, label }: Props) {
  const { tasks: t } = useMessages()
  const cancel = useMutation({
    mutationFn: async () => {
      const parameters = { id }
      return kind === 'task'
        ? await api.cancelTask({ parameters })
        : await api.cancelBatch({ parameters })
    },
    onSuccess() {
      showToast(t.cancelled)
      void queryClient.invalidateQueries({ queryKey: trackedTasksQuery.queryKey.slice(0, 1) })
    },
  })
  return (
    <>
      <Button
        small
        busy={cancel.isPending}
        aria-label={t.cancelOf(label)}
        onClick={() => cancel.mutate()}
      >
        {t.cancel}
      </Button>
      {cancel.isError && (
        <FailureDialog
          title={t.cancelOf(label)}
          error={cancel.error}
          onRetry={() => cancel.mutate()}
          onClose={cancel.reset}
        />
      )}
    </>
  )
}
