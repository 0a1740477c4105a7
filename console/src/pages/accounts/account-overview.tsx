import type { CloudAccount, CloudProvider } from '@muster/contract'
import { AccountFacts } from './account-facts.tsx'
import { AccountOptions } from './account-options.tsx'
import { KeptTest } from './kept-test.tsx'
import styles from './account-page.module.css'
import { SyncPanel } from './sync-panel.tsx'

interface Props {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
  readonly askedAt: number
}

export function AccountOverview({ account, provider, askedAt }: Props) {
  return (
    <div className={styles.overview}>
      <SyncPanel account={account} askedAt={askedAt} />
      <AccountFacts account={account} provider={provider} />
      <AccountOptions options={account.options} />
      <KeptTest account={account} />
    </div>
  )
}
