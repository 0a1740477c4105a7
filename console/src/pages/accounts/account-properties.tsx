import type { CloudAccount, CloudProvider } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import styles from './account-page.module.css'
import { serversOf } from './servers-of.ts'
import { useProjects } from './use-projects.ts'

interface Props {
  readonly account: CloudAccount
  readonly provider: CloudProvider | undefined
}

/** What an account is. Its credentials nobody is shown. */
export function AccountProperties({ account, provider }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const { nameOf } = useProjects()
  const { id, name, brand, address, project_id, period, servers, created_at } = account
  return (
    <section className={styles.section} aria-labelledby="account-facts">
      <h2 id="account-facts">{t.accounts.facts}</h2>
      <PropertyList>
        <Property label={t.accounts.servers}>
          <Link to="/servers" search={{ q: serversOf(name) }}>
            {t.common.servers(servers, number(servers))}
          </Link>
        </Property>
        <Property label={t.accounts.provider}>{provider?.title ?? account.provider}</Property>
        {brand !== account.provider && <Property label={t.accounts.brand}>{brand}</Property>}
        <Property label={t.accounts.address}>
          {address === '' ? undefined : <Copyable value={address} />}
        </Property>
        <Property label={t.accounts.project}>
          <Link to="/identity/$kind/$id" params={{ kind: 'projects', id: project_id }}>
            {nameOf(project_id)}
          </Link>
        </Property>
        <Property label={t.accounts.period}>{t.accounts.everySeconds(number(period))}</Property>
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
