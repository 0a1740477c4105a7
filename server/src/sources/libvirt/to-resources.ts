import ipaddr from 'ipaddr.js'
import type { ReportedHost, ReportedResources } from '../../domain/sources/reported-resources.ts'
import { readAddress } from './address.ts'
import type { Host } from './host.ts'
import type { Network } from './networks.ts'
import type { NamedHandle } from './records.ts'

/** A host that answers is running. Its address is known only if the account names it by its IP address. */
function describeHost(host: Host, address: string): ReportedHost {
  const target = readAddress(address)
  const name = typeof target !== 'string' && target.transport === 'tls' ? target.host : ''
  return {
    id: host.uuid,
    name: host.name,
    status: 'running',
    host_status: 'online',
    host_type: 'hypervisor',
    access_ip: ipaddr.isValid(name) ? name : '',
    sn: host.serial,
    cpu_count: host.cpuCount,
    cpu_desc: host.cpuModel,
    mem_size: host.memory,
    version: host.hypervisorVersion,
    external_id: host.uuid,
  }
}

/** Converts the host and its virtual networks. libvirt has no regions and zones. */
export function toResources(
  host: Host,
  address: string,
  networks: ReadonlyMap<string, Network>,
  /** The active networks, if libvirt tells. Undefined if they could not be read. */
  active: { readonly networks?: readonly NamedHandle[] } | undefined,
): ReportedResources {
  const isActive = new Set(active?.networks?.map(({ uuid }) => uuid))
  return {
    hosts: host.uuid === '' ? [] : [describeHost(host, address)],
    // Without their status they would be stored as unknown.
    networks: [...(active ? networks : [])].map(([name, { uuid, description }]) => ({
      id: uuid,
      name,
      status:
        active?.networks === undefined ? 'unknown' : isActive.has(uuid) ? 'available' : 'down',
      ...description,
      external_id: uuid,
    })),
  }
}
