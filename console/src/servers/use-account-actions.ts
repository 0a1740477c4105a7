import type { CloudAccount } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { isSyncing } from '../api/queries/account-polling.ts'
import { usePermission } from '../session/use-permission.ts'
import { useMessages } from '../messages/use-messages.ts'
import { showToast } from '../ui/show-toast.ts'
import { cacheAccount } from './cache-account.ts'

export type AccountActions = ReturnType<typeof useAccountActions>

/** The quick actions on an account: sync, enable, disable. */
export function useAccountActions() {
  const t = useMessages()
  const canSync = usePermission('syncCloudAccount')
  const canUpdate = usePermission('updateCloudAccount')

  const sync = useMutation({
    mutationFn: ({ id }: CloudAccount) => api.syncCloudAccount({ parameters: { id } }),
    onSuccess({ cloudaccount }) {
      cacheAccount(cloudaccount)
      showToast(t.accounts.syncStarted(cloudaccount.name))
    },
  })
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: CloudAccount) =>
      api.updateCloudAccount({
        parameters: { id },
        body: { cloudaccount: { enabled: !enabled } },
      }),
    onSuccess({ cloudaccount }) {
      cacheAccount(cloudaccount)
      const { nowEnabled, nowDisabled } = t.accounts
      showToast((cloudaccount.enabled ? nowEnabled : nowDisabled)(cloudaccount.name))
    },
  })

  return {
    sync,
    toggle,
    error: sync.error ?? toggle.error,
    toggleReason: canUpdate.reason,
    /** Why an account cannot be synced; undefined if it can. */
    syncReason(account: CloudAccount): string | undefined {
      if (canSync.reason !== undefined) return canSync.reason
      if (!account.enabled) return t.accounts.syncDisabled
      return isSyncing(account) ? t.accounts.syncUnderWay : undefined
    },
  }
}
