import type { ReportedHost, ReportedResources } from '@muster/server/source-port'
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

/** The regions, zones and hosts of one account. */
export const describeSites = (
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
})

/** One site of each region. */
export const regionsOf = (sites: readonly Site[]): readonly Site[] => [
  ...new Map(sites.map((site) => [site.cloudregion_id, site])).values(),
]
