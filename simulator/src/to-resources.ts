import type { Reported, ReportedHost, ReportedResources } from '@muster/server/source-port'
import type { Cloud, Size } from './clouds/cloud.ts'
import { sizeFacts } from './describe-server.ts'
import { imageId } from './disks.ts'
import { linuxes, windowses, type OperatingSystem } from './operating-systems.ts'
import { below, pick } from './random-hash.ts'
import type { Host, Site } from './sites.ts'

const cpuModels = [
  'AMD EPYC 7763 64-Core Processor',
  'AMD EPYC 9354 32-Core Processor',
  'Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz',
]
const cpuCounts = [32, 64, 96, 128]
const gibibyte = 1_024

/** By provider; other clouds hide their hosts. */
const versions: Readonly<Record<string, string>> = {
  OneCloud: '4.2.0',
  VMware: '8.0.3',
  OpenStack: '8.2.2',
  Proxmox: '8.3.0',
}

const siteOf = ({ cloud, region, cloudregion_id }: Site) => ({
  provider: cloud.provider,
  cloudregion: region,
  cloudregion_id,
})

/** Last parts 0 and 255 are left to networks and broadcasts. */
const addressOf = (site: Site, { number }: Host) =>
  `10.${240 + site.number}.${Math.floor(number / 254) & 0xff}.${(number % 254) + 1}`

function describeHost(site: Site, host: Host): ReportedHost {
  const cpu_count = pick(host.dice, 5, cpuCounts)
  return {
    ...siteOf(site),
    id: host.id,
    name: host.name,
    status: host.status,
    host_status: host.service,
    host_type: site.cloud.host_type,
    enabled: host.status !== 'maintaining',
    access_ip: addressOf(site, host),
    sn: host.serial,
    cpu_count,
    cpu_desc: pick(host.dice, 6, cpuModels),
    mem_size: cpu_count * (4 + 4 * below(host.dice, 7, 2)) * gibibyte,
    version: versions[site.cloud.provider] ?? '',
    zone: site.zone,
    zone_id: site.zone_id,
    external_id: host.id,
  }
}

const systems = new Set([...linuxes, ...windowses])

function describeImage(seed: number, site: Site, os: OperatingSystem): Reported<'images'> {
  const id = imageId(seed, site, os)
  const [, os_distribution = '', os_version = ''] = /^(.*?) (\d.*)$/.exec(os.name) ?? []
  return {
    ...siteOf(site),
    id,
    name: os.image,
    status: 'active',
    os_type: os.type,
    os_distribution,
    os_version,
    os_arch: 'x86_64',
    disk_format: site.cloud.disks.formats[0] ?? '',
    min_disk: (os.type === 'Windows' ? 60 : 20) * gibibyte,
    external_id: id,
  }
}

function describeFlavor(seed: number, site: Site, size: Size): Reported<'flavors'> {
  const { flavor_id, flavor_uuid } = sizeFacts(seed, site, size)
  return {
    ...siteOf(site),
    id: flavor_uuid,
    name: size.name,
    cpu_core_count: size.cores,
    memory_size_mb: size.memory,
    gpu_count: site.cloud.sizes.some(({ name }) => name === size.name) ? 0 : 1,
    external_id: flavor_id,
  }
}

/** Some sizes are for servers with a GPU and for others. */
const sizesOf = ({ sizes, gpuSizes }: Cloud): readonly Size[] => [
  ...new Map([...gpuSizes, ...sizes].map((size) => [size.name, size])).values(),
]

/** The regions, zones, hosts, images and flavors of one account. */
export const describeSites = (
  seed: number,
  sites: readonly Site[],
  hosts: readonly { readonly site: Site; readonly host: Host }[],
): ReportedResources => ({
  cloudregions: regionsOf(sites).map(({ cloud, ...site }) => ({
    id: site.cloudregion_id,
    name: site.region,
    status: 'inservice',
    provider: cloud.provider,
    cloud_env: cloud.cloud_env,
    external_id: site.region_ext_id,
  })),
  zones: sites.map((site) => ({
    ...siteOf(site),
    id: site.zone_id,
    name: site.zone,
    status: 'enable',
    external_id: site.zone_ext_id,
  })),
  hosts: hosts.map(({ site, host }) => describeHost(site, host)),
  images: regionsOf(sites).flatMap((site) =>
    [...systems].map((os) => describeImage(seed, site, os)),
  ),
  flavors: regionsOf(sites).flatMap((site) =>
    sizesOf(site.cloud).map((size) => describeFlavor(seed, site, size)),
  ),
})

/** One site of each region. */
export const regionsOf = (sites: readonly Site[]): readonly Site[] => [
  ...new Map(sites.map((site) => [site.cloudregion_id, site])).values(),
]
