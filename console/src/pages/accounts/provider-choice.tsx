import type { CloudProvider } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './new-account-page.module.css'

/** What can be attached, each kind with what it is. */
export function ProviderChoice({ providers }: { readonly providers: readonly CloudProvider[] }) {
  const t = useMessages()
  const { number } = useFormat()
  return (
    <ul className={styles.providers}>
      {providers.map(({ provider, title, description, events, period }) => (
        <li key={provider} className={styles.provider}>
          <h2>
            <Link to="/accounts/new" search={{ provider }} className={styles.choose}>
              {title}
            </Link>
          </h2>
          <p>{description}</p>
          <p className={styles.pace}>
            {t.accounts.everyPeriod(number(period))}
            {events && ` · ${t.accounts.hasEvents}`}
          </p>
        </li>
      ))}
    </ul>
  )
}
