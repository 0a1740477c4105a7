import type { CloudAccount } from '@muster/contract'
import { useText } from '../../text/use-text.ts'
import { Button } from '../../ui/button.tsx'
import { AccountStatus } from './account-status.tsx'
import type { AccountActions } from './use-account-actions.ts'

interface Props {
  readonly account: CloudAccount
  readonly actions: AccountActions
}

export function AccountHead({ account, actions }: Props) {
  const t = useText()
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
