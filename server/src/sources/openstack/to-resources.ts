import { addressAt } from '../../domain/sources/address-at.ts'
import type {
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
} from '../../domain/sources/reported-resources.ts'
import { booleanOf, listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { zonesOfHosts, type Places } from './hosts.ts'
import type { Lookups } from './lookups.ts'
import { hostIdOf, regionIdOf, zoneIdOf, type Site } from './resource-ids.ts'

/** Hosts and zones that servers name. Those without a report of their own are known by name. */
export interface NamedPlaces {
  readonly hosts: ReadonlySet<string>
  readonly zones: ReadonlySet<string>
}

const siteOf = (site: Site) => ({ cloudregion: site.region, cloudregion_id: regionIdOf(site) })

/** Nova writes 7.2.0 as 7002000. */
const versionOf = (version: number) =>
  version === 0
    ? ''
    : [version / 1_000_000, (version / 1_000) % 1_000, version % 1_000].map(Math.floor).join('.')

/** The model of the CPU. Some drivers send it as an object, some as JSON in a text. */
function cpuModelOf(hypervisor: Json): string {
  try {
    const info = textOf(hypervisor, 'cpu_info')
    const parsed: unknown = info === '' ? hypervisor['cpu_info'] : JSON.parse(info)
    return textOf(parsed as Json, 'model')
  } catch {
    return ''
  }
}

function describeHost(hypervisor: Json, site: Site, zones: ReadonlyMap<string, string>) {
  const name = textOf(hypervisor, 'hypervisor_hostname')
  const service = objectOf(hypervisor, 'service')
  const zone = zones.get(textOf(service, 'host')) ?? ''
  const isUp = textOf(hypervisor, 'state') === 'up'
  return {
    ...siteOf(site),
    id: hostIdOf(site, name),
    name,
    host_type: 'openstack',
    status: isUp ? 'running' : 'unknown',
    host_status: isUp ? 'online' : 'offline',
    enabled: textOf(hypervisor, 'status') === 'enabled',
    access_ip: textOf(hypervisor, 'host_ip'),
    cpu_count: numberOf(hypervisor, 'vcpus'),
    cpu_desc: cpuModelOf(hypervisor),
    mem_size: numberOf(hypervisor, 'memory_mb'),
    version: versionOf(numberOf(hypervisor, 'hypervisor_version')),
    external_id: name,
    ...(zone !== '' && { zone, zone_id: zoneIdOf(site, zone) }),
  } satisfies ReportedHost
}

/** The addresses of the first IPv4 subnet. */
function addressesOf(subnet: Json | undefined): Partial<ReportedNetwork> {
  const cidr = textOf(subnet, 'cidr')
  const [pool] = listOf(subnet, 'allocation_pools')
  const start = textOf(pool, 'start') || addressAt(cidr, 2)
  const end = textOf(pool, 'end') || addressAt(cidr, -2)
  if (start === undefined || end === undefined) return {}
  return {
    guest_ip_start: start,
    guest_ip_end: end,
    guest_ip_mask: Number(cidr.split('/')[1]),
    guest_gateway: textOf(subnet, 'gateway_ip'),
  }
}

function describeNetwork(network: Json, site: Site, { subnets }: Lookups): ReportedNetwork {
  const id = textOf(network, 'id')
  const own = [...subnets.values()]
    .filter((subnet) => textOf(subnet, 'network_id') === id)
    .filter((subnet) => numberOf(subnet, 'ip_version') === 4)
    .sort((a, b) => (textOf(a, 'id') < textOf(b, 'id') ? -1 : 1))
  const isVlan = textOf(network, 'provider:network_type') === 'vlan'
  return {
    ...siteOf(site),
    id,
    name: textOf(network, 'name') || id,
    status: textOf(network, 'status') === 'ACTIVE' ? 'available' : 'down',
    ...addressesOf(own[0]),
    vlan_id: isVlan ? numberOf(network, 'provider:segmentation_id') : 0,
    external_id: id,
  }
}

/** Converts a region, its zones, hosts and networks. */
export function toResources(
  site: Site,
  places: Places,
  named: NamedPlaces,
  lookups: Lookups,
): ReportedResources {
  const listedZones = new Map(places.zones.map((zone) => [textOf(zone, 'zoneName'), zone]))
  const zonesByHost = zonesOfHosts(places.zones)
  const hosts = places.hypervisors.map((each) => describeHost(each, site, zonesByHost))
  const listedHosts = new Set(hosts.map(({ name }) => name))
  const zoneNames = new Set([
    ...listedZones.keys(),
    ...named.zones,
    ...hosts.flatMap((host) => ('zone' in host ? [host.zone] : [])),
  ])
  return {
    cloudregions: [
      {
        id: regionIdOf(site),
        name: site.region,
        status: 'inservice',
        cloud_env: 'private',
        external_id: site.region,
      },
    ],
    zones: [...zoneNames].map((name) => ({
      ...siteOf(site),
      id: zoneIdOf(site, name),
      name,
      status: zoneStatus(listedZones.get(name)),
      external_id: name,
    })),
    hosts: [
      ...hosts,
      ...[...named.hosts]
        .filter((name) => !listedHosts.has(name))
        .map((name) => ({
          ...siteOf(site),
          id: hostIdOf(site, name),
          name,
          host_type: 'openstack',
          external_id: name,
        })),
    ],
    networks: [...lookups.networks.values()].map((network) =>
      describeNetwork(network, site, lookups),
    ),
  }
}

const zoneStatus = (zone: Json | undefined) => {
  if (!zone) return 'unknown'
  return booleanOf(objectOf(zone, 'zoneState'), 'available') ? 'enable' : 'disable'
}
