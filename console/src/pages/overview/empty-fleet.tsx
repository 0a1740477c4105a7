import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allAccountsQuery } from '../../api/queries/accounts.ts'
import { usePermissions } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import styles from './empty-fleet.module.css'

const targets = [
  { to: '/accounts/new', operation: 'createCloudAccount' },
  { to: '/identity', operation: 'createProject' },
  { to: '/me/keys', operation: undefined },
] as const

/** Shown while there are no servers: three steps, and what each of them gives. */
export function EmptyFleet() {
  const {
    accounts: { demoCommand },
    overview: { empty: t },
  } = useMessages()
  const { number } = useFormat()
  const permission = usePermissions()
  const list = permission('listCloudAccounts')
  const { data } = useQuery({ ...allAccountsQuery, enabled: list.allowed })
  const accounts = data?.length ?? 0
  return (
    <EmptyState title={t.title}>
      {accounts > 0 && (
        <p>
          {t.waiting(accounts, number(accounts))} <Link to="/accounts">{t.accounts}</Link>
        </p>
      )}
      {!list.allowed && <p>{t.elsewhere}</p>}
      <ol className={styles.steps}>
        {targets.map(({ to, operation }, at) => {
          const step = t.steps[at]
          const reason = operation && permission(operation).reason
          if (!step) return null
          return (
            <li key={to}>
              <strong>{step.title}</strong>
              <span>{step.text}</span>
              {reason === undefined ? (
                <Link to={to} className={buttonClass(at === 0 ? 'primary' : undefined)}>
                  {step.action}
                </Link>
              ) : (
                <span className={styles.reason}>{reason}</span>
              )}
            </li>
          )
        })}
      </ol>
      <p>
        {t.demo} <Copyable value={demoCommand} />
      </p>
    </EmptyState>
  )
}
