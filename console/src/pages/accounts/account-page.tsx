import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { accountQuery, providersQuery } from '../../api/queries/accounts.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonProperties } from '../../ui/skeleton.tsx'
import { TabCount, tabClass, Tabs } from '../../ui/tabs.tsx'
import { AccountOverview } from './account-overview.tsx'
import { AccountSettings } from './account-settings.tsx'
import { accountsFailure } from './accounts-failure.tsx'
import { MappingEditor } from './mapping-editor.tsx'
import { localizeProvider } from './localize-provider.ts'
import { useAccountActions, type AccountActions } from '../../servers/use-account-actions.ts'
import type { CloudAccount } from '@muster/contract'
import { Button } from '../../ui/button.tsx'
import { AccountStatus } from './account-status.tsx'

const tabs = ['overview', 'rules', 'settings'] as const

/** The page of an account: overview, mapping rules, settings. */
export function AccountPage() {
  const t = useMessages()
  const { id = '' } = useParams({ strict: false })
  const requested = useSearch({ strict: false })['tab']
  const tab = tabs.find((known) => known === requested) ?? 'overview'
  const query = useQuery(accountQuery(id))
  const { data: known = [] } = useQuery(providersQuery)
  const providers = known.map((each) => localizeProvider(each, t.accounts.providerTexts))
  const actions = useAccountActions()
  const { data: account, dataUpdatedAt: fetchedAt } = query
  const provider = providers.find((known) => known.provider === account?.provider)
  return (
    <Page
      title={account?.name ?? t.accounts.title}
      aside={account && <AccountHead account={account} actions={actions} />}
    >
      {actions.error && <ErrorNotice error={actions.error} />}
      <QueryView
        query={query}
        skeleton={<SkeletonProperties hasTabs />}
        failure={accountsFailure('getCloudAccount')}
      >
        {(shown) => (
          <>
            <Tabs label={t.accounts.tabs}>
              {tabs.map((name) => (
                <Link
                  key={name}
                  to="/accounts/$id"
                  params={{ id }}
                  search={name === 'overview' ? {} : { tab: name }}
                  className={tabClass}
                  aria-current={name === tab ? 'page' : undefined}
                  activeOptions={{ exact: true }}
                >
                  {t.accounts[name]}
                  {name === 'rules' && <TabCount>{shown.mapping.length}</TabCount>}
                </Link>
              ))}
            </Tabs>
            {tab === 'overview' && (
              <AccountOverview account={shown} provider={provider} fetchedAt={fetchedAt} />
            )}
            {tab === 'rules' && <MappingEditor account={shown} />}
            {tab === 'settings' && <AccountSettings account={shown} provider={provider} />}
          </>
        )}
      </QueryView>
    </Page>
  )
}

interface AccountHeadProps {
  readonly account: CloudAccount
  readonly actions: AccountActions
}

function AccountHead({ account, actions }: AccountHeadProps) {
  const t = useMessages()
  return (
    <>
      <AccountStatus status={account.status} />
      <Button
        busy={actions.toggle.isPending}
        disabledReason={actions.toggleReason}
        onClick={() => actions.toggle.mutate(account)}
      >
        {account.enabled ? t.accounts.disable : t.accounts.enable}
      </Button>
      <Button
        look="primary"
        icon="refresh"
        busy={actions.sync.isPending}
        disabledReason={actions.syncReason(account)}
        onClick={() => actions.sync.mutate(account)}
      >
        {t.accounts.syncNow}
      </Button>
    </>
  )
}
