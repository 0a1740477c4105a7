import { Link } from '@tanstack/react-router'
import { usePermissions } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { WaitingAccounts } from '../../servers/attached-accounts.tsx'
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
  const permission = usePermissions()
  return (
    <EmptyState title={t.title}>
      <WaitingAccounts />
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
