import type { Resource } from '@muster/contract'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { InventoryKind } from '../../inventory/kinds.ts'
import { ResourceLink } from '../../inventory/resource-link.tsx'
import { textOf, type ResourceRow } from '../../inventory/resource-row.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { statusTone } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Amount } from '../../ui/amount.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { addressRange, idFieldOf, isServerCount, resources, serversQ } from './resources.ts'

interface Props {
  readonly kind: InventoryKind
  readonly field: string
  readonly row: ResourceRow
}

/** The kinds that a field names. */
const kindOf: Readonly<Record<string, InventoryKind>> = {
  cloudregion: 'cloudregions',
  zone: 'zones',
  manager: 'cloudproviders',
}

/** The value of a field, in the list and on the page. */
export function ResourceValue({ kind, field, row }: Props): ReactNode {
  const { common } = useMessages()
  const { number, size } = useFormat()
  const names = useValueNames()
  const resource: Resource = resources[kind]
  const { [field]: value } = row
  const text = textOf(row, field)
  const id = textOf(row, idFieldOf(resource, field) ?? '')
  if (value === undefined || value === null || value === '') return '–'
  if (isServerCount(field)) {
    const count = number(Number(value))
    return value === 0 ? count : <ServersLink q={serversQ(kind, row)}>{count}</ServersLink>
  }
  if (field === 'status' || field === 'guest_status') {
    return <StatusMark tone={statusTone(text)}>{names.name('status', text)}</StatusMark>
  }
  const linked = kindOf[field]
  if (linked && id !== '') {
    return (
      <ResourceLink kind={linked} id={id}>
        {text}
      </ResourceLink>
    )
  }
  if (field === 'guest') return <ServerLink id={id} name={text} />
  if (field === 'account' || field === 'cloudaccount') return <AccountLink id={id} name={text} />
  if (resource.fields[field]?.unit === 'MB') return <Amount value={Number(value)}>{size}</Amount>
  if (field === 'size') return <Amount value={Number(value) / 2 ** 20}>{size}</Amount>
  if (field === 'cpu_count' || field === 'cpu_core_count')
    return <Amount value={Number(value)}>{number}</Amount>
  if (field === 'vlan_id') return value === 0 ? '–' : text
  if (field === 'guest_ip_start') return addressRange(row)
  switch (resource.fields[field]?.type) {
    case 'number':
      return number(Number(value))
    case 'boolean':
      return value === true ? common.yes : common.no
    case 'timestamp':
      return <TimeAgo time={text} />
    case 'enum':
      return names.name(field, text)
    case 'text':
    case 'object':
    case undefined:
      return <bdi title={text}>{text}</bdi>
  }
}

/** Links to the servers that a list of this scope counts. */
function ServersLink({ q, children }: { readonly q: string; readonly children: string }) {
  const { scope } = useSearch({ strict: false })
  return (
    <Link to="/servers" search={{ q, ...(scope && { scope }) }} preload={false}>
      {children}
    </Link>
  )
}

const ServerLink = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <Link to="/servers/$id" params={{ id }} preload={false}>
    <bdi>{name}</bdi>
  </Link>
)

function AccountLink({ id, name }: { readonly id: string; readonly name: string }) {
  const { allowed } = usePermission('getCloudAccount')
  if (!allowed || id === '') return <bdi>{name}</bdi>
  return (
    <Link to="/accounts/$id" params={{ id }} preload={false}>
      <bdi>{name}</bdi>
    </Link>
  )
}
