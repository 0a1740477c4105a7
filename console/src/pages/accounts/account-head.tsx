import type { CloudAccount } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { AccountStatus } from './account-status.tsx'
import type { AccountActions } from './use-account-actions.ts'

interface Props {
  readonly account: CloudAccount
  readonly actions: AccountActions
}

export function AccountHead({ account, actions }: Props) {
  const t = useMessages()
  return (
    <>
      <AccountStatus status={account.status} />
      <Button
        busy={actions.toggle.isPending}
        disabledReason={actions.toggleReason}
        onClick={() => actions.toggle.mutate(account)}
      >
        {account.enabled ? t.accounts.disable : t.accounts.enable}
      </Button>
      <Button
        look="primary"
        icon="refresh"
        busy={actions.sync.isPending}
        disabledReason={actions.syncReason(account)}
        onClick={() => actions.sync.mutate(account)}
      >
        {t.accounts.syncNow}
      </Button>
    </>
  )
}
