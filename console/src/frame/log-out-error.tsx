import { useMutationState, useQueryClient, type Mutation } from '@tanstack/react-query'
import { useMessages } from '../messages/use-messages.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { logOutKey, useLogOut } from './use-log-out.ts'

/** A failed logout must be noticed, above all on a shared computer. */
export function LogOutError() {
  const t = useMessages()
  const cache = useQueryClient().getMutationCache()
  const logOut = useLogOut()
  const failed = useMutationState<Mutation>({
    filters: { mutationKey: logOutKey, status: 'error' },
    select: (mutation) => mutation,
  })
  const last = failed.at(-1)
  if (!last) return null
  const close = () => {
    for (const mutation of failed) cache.remove(mutation)
  }
  return (
    <Dialog title={t.frame.logOutFailed} onClose={close}>
      <ErrorNotice
        error={last.state.error}
        onRetry={() => {
          close()
          logOut()
        }}
      />
    </Dialog>
  )
}
