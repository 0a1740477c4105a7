import type { CloudAccount, CloudProvider } from '@muster/contract'
import styles from './account-page.module.css'
import { SyncPanel } from './sync-panel.tsx'
import { SyncRuns } from './sync-runs.tsx'
import { ProviderMark } from '../../servers/provider-mark.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { fieldLabel } from './field-label.ts'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../messages/use-format.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { serversOf } from './servers-of.ts'
import { useProjects } from './use-projects.ts'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TestResult } from './test-result.tsx'

interface Props {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
  readonly fetchedAt: number
}

export function AccountOverview({ account, provider, fetchedAt }: Props) {
  return (
    <div className={styles.overview}>
      <SyncPanel account={account} fetchedAt={fetchedAt} />
      <SyncRuns account={account} />
      <AccountProperties account={account} provider={provider} />
      <AccountOptions options={account.options} />
      <SavedAccountTest account={account} />
    </div>
  )
}

/** The provider options of an account, if any. */
function AccountOptions({ options }: Pick<CloudAccount, 'options'>) {
  const t = useMessages()
  const entries = Object.entries(options)
  if (entries.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="account-options">
      <h2 id="account-options">{t.accounts.optionsSection}</h2>
      <PropertyList>
        {entries.map(([name, value]) => (
          <Property key={name} label={fieldLabel(name, t.accounts.fieldNames)}>
            <OptionValue value={value} />
          </Property>
        ))}
      </PropertyList>
    </section>
  )
}

interface AccountPropertiesProps {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
}

/** The properties of an account. */
function AccountProperties({ account, provider }: AccountPropertiesProps) {
  const t = useMessages()
  const { number, span } = useFormat()
  const { nameOf } = useProjects()
  const { id, name, brand, address, project_id, period, servers, created_at, access } = account
  return (
    <section className={styles.section} aria-labelledby="account-facts">
      <h2 id="account-facts">{t.accounts.facts}</h2>
      <PropertyList>
        <Property label={t.accounts.servers}>
          <Link to="/servers" search={{ q: serversOf(name) }}>
            {t.common.servers(servers, number(servers))}
          </Link>
        </Property>
        <Property label={t.accounts.provider}>
          <ProviderMark provider={account.provider} />
          {provider?.title ?? account.provider}
        </Property>
        {brand !== account.provider && <Property label={t.accounts.brand}>{brand}</Property>}
        <Property label={t.accounts.address}>
          {address === '' ? undefined : <Copyable value={address} />}
        </Property>
        <Property label={t.accounts.project}>
          <Link to="/identity/$kind/$id" params={{ kind: 'projects', id: project_id }}>
            {nameOf(project_id)}
          </Link>
        </Property>
        <Property label={t.accounts.period}>{t.accounts.every(span(period, true))}</Property>
        <Property label={t.accounts.accessSection}>
          {t.accounts.accesses[access]}
          {access === 'manage' && ` · ${t.accounts.maxActions}: ${number(account.max_actions)}`}
        </Property>
        <Property label={t.common.created}>
          <TimeAgo time={created_at} />
        </Property>
        <Property label={t.common.id}>
          <Copyable value={id} />
        </Property>
      </PropertyList>
    </section>
  )
}

/** Tests an account with its stored credentials. */
function SavedAccountTest({ account: { id } }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { reason } = usePermission('testCloudAccount')
  const test = useMutation({
    mutationFn: async () => (await api.testCloudAccount({ parameters: { id } })).test,
  })
  return (
    <section className={styles.section} aria-labelledby="account-test">
      <h2 id="account-test">{t.accounts.testSection}</h2>
      <p className={styles.soft}>{t.accounts.testLead}</p>
      <div>
        <Button busy={test.isPending} disabledReason={reason} onClick={() => test.mutate()}>
          {t.accounts.test}
        </Button>
      </div>
      {test.isPending && <p role="status">{t.accounts.testing}</p>}
      {test.isError && <ErrorNotice error={test.error} />}
      {test.data && !test.isPending && (
        <div className={styles.narrow}>
          <TestResult test={test.data} />
        </div>
      )}
    </section>
  )
}

const shownItems = 3
const shownText = 80

/** The value of an option. Long values are collapsible. */
function OptionValue({ value }: { readonly value: CloudAccount['options'][string] }) {
  const t = useMessages()
  const { number } = useFormat()
  if (typeof value === 'boolean') return value ? t.common.yes : t.common.no
  // No thousands separators: a seed is an identifier.
  if (typeof value === 'number') return <code>{String(value)}</code>
  const text = Array.isArray(value) ? value.join('\n') : value
  const isShort = Array.isArray(value) ? value.length <= shownItems : text.length <= shownText
  if (isShort) return <code>{Array.isArray(value) ? value.join(', ') : value}</code>
  return (
    <details className={styles.long}>
      <summary>
        {Array.isArray(value) ? (
          <>
            <code>{value[0]}</code> +{number(value.length - 1)}
          </>
        ) : (
          <code>{text.slice(0, shownText)}…</code>
        )}
      </summary>
      <pre>{text}</pre>
    </details>
  )
}
