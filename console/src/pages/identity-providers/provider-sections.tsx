import type { IdentityProviderDto } from '@muster/contract'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { fieldLabel } from '../accounts/field-label.ts'
import styles from './identity-providers.module.css'
import { MappingSection } from './mapping-section.tsx'
import type { Driver } from './option-values.ts'
import { ProviderChecks } from './provider-checks.tsx'
import { useDrivers } from './use-drivers.ts'
import { useProviderTest } from './use-provider-test.ts'

interface Props {
  readonly provider: IdentityProviderDto
}

/** The sections below the properties of an identity provider. */
export function ProviderSections({ provider }: Props) {
  const { query, drivers } = useDrivers()
  const driver = drivers.find((each) => each.driver === provider.driver)
  return (
    <QueryView query={query}>
      {() =>
        driver && (
          <>
            <Addresses provider={provider} driver={driver} />
            <Settings provider={provider} driver={driver} />
            <MappingSection key={provider.id} provider={provider} driver={driver} />
          </>
        )
      }
    </QueryView>
  )
}

interface DriverProps extends Props {
  readonly driver: Driver
}

/** What an administrator of the provider registers there. */
function Addresses({ provider, driver }: DriverProps) {
  const { providers: t } = useAllMessages()
  const { features } = driver
  if (!features.includes('browser_login')) return null
  const { origin } = location
  const own = `${origin}/api/session/providers/${provider.id}`
  const hasLogout = features.includes('logout')
  return (
    <Section title={t.addresses} lead={t.addressesLead}>
      <PropertyList>
        <Property label={t.callback}>
          <Copyable value={`${own}/callback`} />
        </Property>
        {hasLogout && (
          <>
            <Property label={t.afterLogout}>
              <Copyable value={`${origin}${import.meta.env.BASE_URL}login`} />
            </Property>
            <Property label={t.backChannel}>
              <Copyable value={`${own}/logout`} />
            </Property>
          </>
        )}
      </PropertyList>
    </Section>
  )
}

/** The options, and a test of them as they are stored. */
function Settings({ provider, driver }: DriverProps) {
  const t = useAllMessages()
  const permission = usePermission('testIdentityProvider')
  const test = useProviderTest(driver.driver, provider)
  const shown = (name: string) => {
    const value = provider.options[name]
    if (typeof value === 'boolean') return value ? t.common.yes : t.common.no
    return value
  }
  return (
    <Section
      title={t.providers.settings}
      actions={
        <Button
          small
          busy={test.isPending}
          disabledReason={permission.reason}
          onClick={() => test.mutate({})}
        >
          {t.accounts.test}
        </Button>
      }
    >
      {test.isError && <ErrorNotice error={test.error} />}
      {test.data && <ProviderChecks test={test.data.test} />}
      <PropertyList>
        {driver.options
          .filter(({ secret, long }) => !secret && !long)
          .map(({ name }) => (
            <Property key={name} label={fieldLabel(name, t.providers.optionNames)}>
              {shown(name) === '' ? null : <span className={styles.text}>{shown(name)}</span>}
            </Property>
          ))}
      </PropertyList>
    </Section>
  )
}
