import { ConnectionError, isApiError } from '@muster/sdk'
import type { OperationId } from '@muster/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import styles from './accounts-page.module.css'

interface Props {
  readonly query: Pick<UseQueryResult, 'error' | 'fetchStatus' | 'refetch'>
  /** What was asked. */
  readonly operation: OperationId
}

/** Why a page of accounts shows nothing: most people may not see them, and are told why. */
export function AccountsError({ query, operation }: Props) {
  const t = useMessages()
  const { permissions } = useSession()
  const { error, fetchStatus } = query
  if (!isApiError(error, 'ForbiddenError')) {
    const isWaiting = fetchStatus === 'paused'
    return (
      <ErrorNotice
        error={isWaiting ? new ConnectionError(t.errors.offline) : error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  const right = permissions.find((permission) => permission.operation === operation)
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
        {right && (
          <>
            <dt>{t.accounts.forbiddenRight}</dt>
            <dd>
              <code>
                {right.service} {right.resource} {right.action}
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

/** Nothing to show, and nothing on its way. */
export const hasFailed = ({
  data,
  error,
  fetchStatus,
}: Pick<UseQueryResult, 'data' | 'error' | 'fetchStatus'>): boolean =>
  data === undefined && (error !== null || fetchStatus === 'paused')
