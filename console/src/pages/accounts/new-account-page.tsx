import type { CloudProvider } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { providersQuery } from '../../api/queries/accounts.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { AccountForm } from './account-form.tsx'
import { accountsFailure } from './accounts-failure.tsx'
import { localizeProvider } from './localize-provider.ts'
import styles from './new-account-page.module.css'
import { ProviderMark } from '../../servers/provider-mark.tsx'
import { useFormat } from '../../messages/use-format.ts'

/** Attaches an account: choose a provider, then fill in its form. */
export function NewAccountPage() {
  const t = useMessages()
  const navigate = useNavigate()
  const requested = useSearch({ strict: false })['provider']
  const query = useQuery(providersQuery)
  const localize = (each: CloudProvider) => localizeProvider(each, t.accounts.providerTexts)
  const provider = query.data?.map(localize).find((known) => known.provider === requested)
  return (
    <Page
      title={provider ? `${t.accounts.newTitle}: ${provider.title}` : t.accounts.newTitle}
      lead={provider ? provider.description : t.accounts.newLead}
      aside={
        provider && (
          <Link to="/accounts/new" className={buttonClass()}>
            {t.accounts.another}
          </Link>
        )
      }
    >
      <QueryView query={query} failure={accountsFailure('listCloudProviders')}>
        {(providers) =>
          provider ? (
            <AccountForm
              key={provider.provider}
              provider={provider}
              onSaved={({ id, name }) => {
                showToast(t.accounts.attached(name))
                // The form is saved: skip the question about unsaved changes.
                void navigate({ to: '/accounts/$id', params: { id }, ignoreBlocker: true })
              }}
            />
          ) : (
            <>
              {requested !== undefined && (
                <p role="alert" className={styles.unknown}>
                  {t.accounts.noProvider(requested)}
                </p>
              )}
              <ProviderChoice providers={providers.map(localize)} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

/** The providers to choose from. */
function ProviderChoice({ providers }: { readonly providers: readonly CloudProvider[] }) {
  const t = useMessages()
  const { span } = useFormat()
  return (
    <ul className={styles.providers}>
      {providers.map(({ provider, title, description, events, period }) => (
        <li key={provider} className={styles.provider}>
          <h2 className={styles.title}>
            <ProviderMark provider={provider} />
            <Link to="/accounts/new" search={{ provider }} className={styles.choose}>
              {title}
            </Link>
          </h2>
          <p>{description}</p>
          <p className={styles.pace}>
            {t.accounts.polled(span(period, true))}
            {events && ` · ${t.accounts.hasEvents}`}
          </p>
        </li>
      ))}
    </ul>
  )
}
