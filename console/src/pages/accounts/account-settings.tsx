import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { AccountForm } from './account-form.tsx'
import { DangerZone } from './danger-zone.tsx'
import styles from './account-page.module.css'

interface Props {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
}

export function AccountSettings({ account, provider }: Props) {
  const t = useMessages()
  const navigate = useNavigate()
  return (
    <div className={styles.overview}>
      {provider ? (
        <AccountForm
          key={account.id}
          provider={provider}
          account={account}
          onSaved={({ id, name }) => {
            showToast(t.accounts.saved(name))
            // Where it was opened by its name, that may be another now.
            void navigate({
              to: '/accounts/$id',
              params: { id },
              search: { tab: 'settings' },
              replace: true,
              ignoreBlocker: true,
            })
          }}
        />
      ) : (
        <SkeletonRows rows={6} />
      )}
      <DangerZone account={account} />
    </div>
  )
}
