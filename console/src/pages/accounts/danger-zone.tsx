import type { CloudAccount } from '@muster/contract'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import styles from './account-page.module.css'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'

export function DangerZone({ account }: { readonly account: CloudAccount }) {
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
