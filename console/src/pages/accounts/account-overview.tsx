import type { CloudAccount, CloudProvider } from '@muster/contract'
import { AccountProperties } from './account-properties.tsx'
import { AccountOptions } from './account-options.tsx'
import { SavedAccountTest } from './saved-account-test.tsx'
import styles from './account-page.module.css'
import { SyncPanel } from './sync-panel.tsx'

interface Props {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
  readonly fetchedAt: number
}

export function AccountOverview({ account, provider, fetchedAt }: Props) {
  return (
    <div className={styles.overview}>
      <SyncPanel account={account} fetchedAt={fetchedAt} />
      <AccountProperties account={account} provider={provider} />
      <AccountOptions options={account.options} />
      <SavedAccountTest account={account} />
    </div>
  )
}
