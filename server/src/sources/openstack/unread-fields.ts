import type { DetailField } from '../../domain/sources/source.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { bootImageOf } from './disks.ts'
import { fieldsOf, groupIdsOf, volumeIdsOf } from './lookups.ts'
import type { LoadedLookups, Lookups, TableName } from './lookups.ts'
import { addressesOf, macOf } from './nics.ts'

const portsOf = (server: Json, lookups: Lookups) => lookups.portsOf.get(textOf(server, 'id')) ?? []

/** Whether a row that a server or its ports name is absent. */
const lacksRow: Readonly<Record<TableName, (server: Json, lookups: Lookups) => boolean>> = {
  networks: (server, lookups) =>
    portsOf(server, lookups).some((port) => !lookups.networks.has(textOf(port, 'network_id'))),
  subnets: (server, lookups) =>
    portsOf(server, lookups)
      .flatMap((port) => listOf(port, 'fixed_ips'))
      .some((ip) => !lookups.subnets.has(textOf(ip, 'subnet_id'))),
  // Nova names ports by their MAC addresses. It may know none yet.
  ports(server, lookups) {
    const macs = new Set(portsOf(server, lookups).map(macOf))
    return macs.size === 0 || addressesOf(server).some(({ mac }) => !macs.has(mac))
  },
  floating(server, lookups) {
    const rows = portsOf(server, lookups).map((port) => lookups.floatingOf.get(textOf(port, 'id')))
    const known = new Set(rows.map((row) => textOf(row, 'floating_ip_address')))
    return addressesOf(server).some(({ isFloating, address }) => isFloating && !known.has(address))
  },
  groups: (server, lookups) =>
    portsOf(server, lookups)
      .flatMap(groupIdsOf)
      .some((id) => !lookups.groups.has(id)),
  volumes: (server, { volumes }) => volumeIdsOf(server).some((id) => !volumes.has(id)),
  images(server, lookups) {
    const { id } = bootImageOf(server, lookups)
    return id !== '' && !lookups.images.has(id)
  },
  flavors: (server, { flavors }) => !flavors.has(textOf(objectOf(server, 'flavor'), 'id')),
}

/** The fields of a server that failed lists leave incomplete, or lists that were cut before its rows. */
export function unreadFields(
  server: Json,
  { lookups, failures, cut }: Pick<LoadedLookups, 'lookups' | 'failures' | 'cut'>,
): readonly DetailField[] {
  const short = [...cut.keys()].filter((table) => lacksRow[table](server, lookups))
  const incomplete = [...failures.keys(), ...short]
  return [...new Set(incomplete.flatMap(fieldsOf))]
}
