import type { Server } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { networkNamesQuery } from '../../api/queries/server.ts'
import { ResourceLink } from '../../inventory/resource-link.tsx'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { MissingValue } from './missing-value.tsx'
import { Addresses } from './addresses.tsx'
import { FilterLink } from './filter-link.tsx'
import { Highlight } from '../../ui/highlight.tsx'
import { LastKnownNote } from './last-known-note.tsx'
import { ServerProperty } from './server-property.tsx'
import styles from './server.module.css'

type Interface = Server['nics'][number] & { readonly index: number }

export function NetworkTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { nics, eip, eip_mode: mode, vpc, vpc_id: vpcId } = server
  const kind = t.publicAddressKind[mode]
  return (
    <div className={styles.part}>
      <LastKnownNote server={server} />
      {nics.length === 0 ? (
        <EmptyState title={t.noInterfaces}>{t.noInterfacesText}</EmptyState>
      ) : (
        <Interfaces server={server} />
      )}
      <PropertyList>
        <Property label={t.publicAddress}>
          <Highlight value={eip}>
            <Addresses list={eip} />
            {eip !== '' && kind !== undefined && <span className={styles.soft}>{kind}</span>}
          </Highlight>
        </Property>
        <Property label={t.sharedAddresses}>
          <Addresses list={server.virtual_ips} />
        </Property>
        <ServerProperty label={t.vpc} value={vpc || vpcId} filter="vpc" />
        <ServerProperty
          label={t.spoofing}
          value={t.spoofingOf(server.src_ip_check, server.src_mac_check)}
        />
      </PropertyList>
    </div>
  )
}

function Interfaces({ server }: { readonly server: Server }) {
  const { server: t, common } = useMessages()
  const ids = [...new Set(server.nics.map(({ network_id: id }) => id).filter((id) => id !== ''))]
  const { allowed } = usePermission('listNetworks')
  const { data: names } = useQuery(networkNamesQuery(allowed ? ids : [], useAsOf()))
  const copied = (value: string) =>
    value === '' ? <MissingValue is="none" /> : <Copyable value={value} />
  const columns: readonly Column<Interface>[] = [
    { key: 'name', title: t.interface, cell: ({ index }) => `eth${index}` },
    { key: 'ip', title: t.ipv4, cell: ({ ip_addr: ip }) => copied(ip) },
    { key: 'ip6', title: t.ipv6, cell: ({ ip6_addr: ip }) => copied(ip) },
    { key: 'mac', title: t.mac, cell: ({ mac }) => copied(mac) },
    {
      key: 'network',
      title: t.network,
      cell: ({ network_id: id }) =>
        id === '' ? (
          <MissingValue is="none" />
        ) : (
          <ResourceLink kind="networks" id={id}>
            {names?.get(id) || id}
          </ResourceLink>
        ),
    },
    {
      key: 'vpc',
      title: t.vpc,
      // With several VPCs a filter would not be exact, so offer a copy.
      cell: ({ vpc_id: id }) =>
        id !== '' && id === server.vpc_id ? (
          <FilterLink name="vpc" value={id}>
            <bdi>{server.vpc || id}</bdi>
          </FilterLink>
        ) : (
          copied(id)
        ),
    },
    { key: 'exit', title: t.exit, cell: ({ is_exit: is }) => (is ? common.yes : common.no) },
    ...(server.nics.some(({ team_with: peer }) => peer !== '')
      ? [
          {
            key: 'peer',
            title: t.bondedWith,
            cell: ({ team_with: peer }: Interface) => copied(peer),
          },
        ]
      : []),
  ]
  return (
    <div className={styles.lines}>
      <Table
        caption={t.interfaces}
        columns={columns}
        rows={server.nics.map((nic, index) => ({ ...nic, index }))}
        rowKey={({ index }) => String(index)}
      />
    </div>
  )
}
