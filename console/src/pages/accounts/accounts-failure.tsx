import { isApiError, type ApiError } from '@muster/sdk'
import type { OperationId } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import styles from './accounts-page.module.css'

/** Explains missing access to accounts, which is common. Other errors get the default notice. */
export const accountsFailure =
  (operation: OperationId) =>
  (error: unknown): ReactNode =>
    isApiError(error, 'ForbiddenError') ? (
      <AccountsForbidden error={error} operation={operation} />
    ) : undefined

interface Props {
  readonly error: ApiError
  readonly operation: OperationId
}

function AccountsForbidden({ error, operation }: Props) {
  const t = useMessages()
  const { permissions } = useSession()
  const permission = permissions.find((entry) => entry.operation === operation)
  return (
    <EmptyState
      title={t.accounts.forbiddenTitle}
      actions={
        <Link to="/servers" className={buttonClass()}>
          {t.accounts.toServers}
        </Link>
      }
    >
      <p>{t.accounts.forbiddenText}</p>
      <dl className={styles.right}>
        {permission && (
          <>
            <dt>{t.accounts.forbiddenRight}</dt>
            <dd>
              <code>
                {permission.service} {permission.resource} {permission.action}
              </code>
            </dd>
          </>
        )}
        {error.requestId !== undefined && (
          <>
            <dt>{t.errors.requestId}</dt>
            <dd>
              <Copyable value={error.requestId} />
            </dd>
          </>
        )}
      </dl>
    </EmptyState>
  )
}
