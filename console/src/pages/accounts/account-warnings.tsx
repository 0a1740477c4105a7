import type { AccountWarning, CloudAccount } from '@muster/contract'
import { useState } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './account-page.module.css'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { cacheAccount } from '../../servers/cache-account.ts'
import { ClaimDialog } from './claim-dialog.tsx'

/** Warnings of the last sync. */
export function AccountWarnings({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  if (account.sync.warnings.length === 0) return null
  return (
    <ul className={styles.warnings} aria-label={t.accounts.warnings}>
      {account.sync.warnings.map((warning) => (
        <li key={warning.kind}>
          <Icon name="warning" />
          <Warning account={account} warning={warning} />
        </li>
      ))}
    </ul>
  )
}

interface Props {
  readonly account: CloudAccount
  readonly warning: AccountWarning
}

function Warning({ account, warning }: Props) {
  const t = useMessages()
  const { number, dateTime } = useFormat()
  const { kind, text, count, until } = warning
  return (
    <div>
      <strong>{t.accounts.warningKinds[kind](count, number(count))}</strong>
      {kind === 'missing' ? (
        <>
          <p>
            {until === null
              ? t.accounts.missingUntilUnknown
              : t.accounts.missingUntil(dateTime(until))}
          </p>
          <ConfirmGone account={account} count={count} />
        </>
      ) : (
        <p>{text}</p>
      )}
      {kind === 'shared' && <ClaimServers account={account} />}
    </div>
  )
}

function ConfirmGone({
  account,
  count,
}: {
  readonly account: CloudAccount
  readonly count: number
}) {
  const t = useMessages()
  const { reason } = usePermission('confirmGoneServers')
  const [isAsking, setAsking] = useState(false)
  const disabledReason = reason ?? (account.enabled ? undefined : t.accounts.syncDisabled)
  return (
    <>
      <Button small disabledReason={disabledReason} onClick={() => setAsking(true)}>
        {t.accounts.confirmGone}…
      </Button>
      {isAsking && (
        <ConfirmGoneDialog account={account} count={count} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

function ClaimServers({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { reason } = usePermission('claimServers')
  const [isOpen, setOpen] = useState(false)
  const disabledReason = reason ?? (account.enabled ? undefined : t.accounts.syncDisabled)
  return (
    <>
      <Button small disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {t.accounts.claim}…
      </Button>
      {isOpen && <ClaimDialog account={account} onClose={() => setOpen(false)} />}
    </>
  )
}

interface ConfirmGoneDialogProps {
  readonly account: CloudAccount
  readonly count: number
  readonly onClose: () => void
}

/** Asks before missing servers are removed immediately. */
function ConfirmGoneDialog({ account: { id, name }, count, onClose }: ConfirmGoneDialogProps) {
  const t = useMessages()
  const { number } = useFormat()
  const confirm = useMutation({
    mutationFn: () => api.confirmGoneServers({ parameters: { id } }),
    onSuccess({ cloudaccount }) {
      cacheAccount(cloudaccount)
      showToast(t.accounts.goneConfirmed(name))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.accounts.confirmGone}
      submit={t.accounts.removeServers(count, number(count))}
      danger
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
      busy={confirm.isPending}
      error={confirm.error}
    >
      <p>{t.accounts.confirmGoneText(count, number(count), name)}</p>
    </FormDialog>
  )
}
