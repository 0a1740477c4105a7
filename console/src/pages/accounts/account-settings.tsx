import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { AccountForm } from './account-form.tsx'
import styles from './account-page.module.css'
import { useState } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'

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
            // The page may be open under the old name.
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

function DangerZone({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const navigate = useNavigate()
  const { reason } = usePermission('deleteCloudAccount')
  const [isAsking, setAsking] = useState(false)
  return (
    <section className={styles.danger} aria-labelledby="account-danger">
      <h2 id="account-danger">{t.accounts.danger}</h2>
      <p className={styles.soft}>{t.accounts.dangerText}</p>
      <div>
        <Button look="danger" icon="trash" disabledReason={reason} onClick={() => setAsking(true)}>
          {t.accounts.deletePlain}
        </Button>
      </div>
      {isAsking && (
        <DeleteAccountDialog
          account={account}
          onClose={() => setAsking(false)}
          onDeleted={() => void navigate({ to: '/accounts', ignoreBlocker: true })}
        />
      )}
    </section>
  )
}
