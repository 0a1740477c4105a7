import { chunk } from '../../domain/chunk.ts'
import type {
  Reported,
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
  ReportedZone,
} from '../../domain/sources/reported-resources.ts'
import { guestAddresses } from '../shared/guest-addresses.ts'
import { booleanOf, listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { devicesOf } from './devices.ts'
import { zonesOfHosts, type ComputeResources } from './hosts.ts'
import { systemOf } from './image-facts.ts'
import { maskOf, type Lookups } from './lookups.ts'
import { flavorIdOf, hostIdOf, regionIdOf, zoneIdOf, type Site } from './resource-ids.ts'

/** Hosts and zones that servers name. Those that are not listed are known by name only. */
interface NamedResources {
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

/** The fields that are known for every host. */
const nameHost = (name: string, site: Site) => ({
  ...siteOf(site),
  id: hostIdOf(site, name),
  name,
  host_type: 'openstack',
  external_id: name,
})

function describeHost(hypervisor: Json, site: Site, zones: ReadonlyMap<string, string>) {
  const name = textOf(hypervisor, 'hypervisor_hostname')
  const service = objectOf(hypervisor, 'service')
  const zone = zones.get(textOf(service, 'host')) ?? ''
  const isUp = textOf(hypervisor, 'state') === 'up'
  return {
    ...nameHost(name, site),
    status: isUp ? 'running' : 'unknown',
    host_status: isUp ? 'online' : 'offline',
    enabled: textOf(hypervisor, 'status') === 'enabled',
    access_ip: textOf(hypervisor, 'host_ip'),
    cpu_count: numberOf(hypervisor, 'vcpus'),
    cpu_desc: cpuModelOf(hypervisor),
    mem_size: numberOf(hypervisor, 'memory_mb'),
    version: versionOf(numberOf(hypervisor, 'hypervisor_version')),
    ...(zone !== '' && { zone, zone_id: zoneIdOf(site, zone) }),
  } satisfies ReportedHost
}

/** The addresses of the first IPv4 subnet. */
function addressesOf(subnets: readonly Json[]): Partial<ReportedNetwork> {
  const subnet = subnets.find((each) => numberOf(each, 'ip_version') === 4)
  if (!subnet) return {}
  const [address = ''] = textOf(subnet, 'cidr').split('/')
  const [pool] = listOf(subnet, 'allocation_pools')
  return guestAddresses({
    address,
    gateway: textOf(subnet, 'gateway_ip'),
    mask: maskOf(subnet),
    start: textOf(pool, 'start'),
    end: textOf(pool, 'end'),
  })
}

function describeNetwork(
  network: Json,
  site: Site,
  { subnetsOf }: Pick<Lookups, 'subnetsOf'>,
): ReportedNetwork {
  const id = textOf(network, 'id')
  const isVlan = textOf(network, 'provider:network_type') === 'vlan'
  return {
    ...siteOf(site),
    id,
    name: textOf(network, 'name') || id,
    status: textOf(network, 'status') === 'ACTIVE' ? 'available' : 'down',
    ...addressesOf(subnetsOf.get(id) ?? []),
    vlan_id: isVlan ? numberOf(network, 'provider:segmentation_id') : 0,
    external_id: id,
  }
}

function describeZone(name: string, zone: Json | undefined, site: Site): ReportedZone {
  const isAvailable = booleanOf(objectOf(zone, 'zoneState'), 'available')
  return {
    ...siteOf(site),
    id: zoneIdOf(site, name),
    name,
    status: zone ? (isAvailable ? 'enable' : 'disable') : 'unknown',
    external_id: name,
  }
}

function describeImage(image: Json, site: Site): Reported<'images'> {
  const id = textOf(image, 'id')
  const { os_type, os_distribution } = systemOf(image)
  return {
    ...siteOf(site),
    id,
    name: textOf(image, 'name') || id,
    status: textOf(image, 'status') || 'unknown',
    os_type,
    os_distribution,
    os_version: textOf(image, 'os_version'),
    os_arch: textOf(image, 'architecture'),
    disk_format: textOf(image, 'disk_format'),
    size: numberOf(image, 'size'),
    min_disk: numberOf(image, 'min_disk') * 1_024,
    min_ram: numberOf(image, 'min_ram'),
    external_id: id,
  }
}

function describeFlavor(flavor: Json, site: Site): Reported<'flavors'> {
  const name = textOf(flavor, 'name')
  const gpus = devicesOf(flavor).filter(({ dev_type }) => dev_type === 'GPU')
  return {
    ...siteOf(site),
    id: flavorIdOf(site, name),
    name,
    cpu_core_count: numberOf(flavor, 'vcpus'),
    memory_size_mb: numberOf(flavor, 'ram'),
    attached_disk_size_gb: numberOf(flavor, 'disk') + numberOf(flavor, 'ephemeral'),
    gpu_count: gpus.length,
    gpu_spec: gpus[0]?.model ?? '',
    external_id: textOf(flavor, 'id'),
  }
}

/** Converts a region, its zones, hosts, networks, images and flavors, in parts of limited size. */
export function* toResources(
  site: Site,
  { zones, hypervisors, flavors }: ComputeResources,
  named: NamedResources,
  { networks, images, ...lookups }: Lookups,
): Generator<ReportedResources> {
  const listedZones = new Map(zones.map((zone) => [textOf(zone, 'zoneName'), zone]))
  const zoneNames = new Set([...listedZones.keys(), ...named.zones])
  yield {
    cloudregions: [
      {
        id: regionIdOf(site),
        name: site.region,
        status: 'inservice',
        cloud_env: 'private',
        external_id: site.region,
      },
    ],
    zones: [...zoneNames].map((name) => describeZone(name, listedZones.get(name), site)),
  }
  const zonesByHost = zonesOfHosts(zones)
  const hosts = hypervisors.map((each) => describeHost(each, site, zonesByHost))
  const listedHosts = new Set(hosts.map(({ name }) => name))
  const unlisted = [...named.hosts.difference(listedHosts)].map((name) => nameHost(name, site))
  for (const part of chunk([...hosts, ...unlisted])) yield { hosts: part }
  for (const part of chunk(networks.values())) {
    yield { networks: part.map((network) => describeNetwork(network, site, lookups)) }
  }
  for (const part of chunk(images.values())) {
    yield { images: part.map((image) => describeImage(image, site)) }
  }
  for (const part of chunk(flavors)) {
    yield { flavors: part.map((flavor) => describeFlavor(flavor, site)) }
  }
}
