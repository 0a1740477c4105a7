import ipaddr from 'ipaddr.js'
import type {
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
} from '../../domain/sources/reported-resources.ts'
import { numberOf } from '../shared/parse-xml.ts'
import { hostStatusOf } from './host-status.ts'
import {
  computeResource,
  datacenter,
  host,
  network,
  resourceId,
  type Entity,
  type Inventory,
} from './inventory.ts'

const mebibyte = 2 ** 20

function siteOf(inventory: Inventory, id: string) {
  const region = inventory.around(id, datacenter)
  const zone = inventory.around(id, computeResource)
  return {
    ...(region && {
      cloudregion: region.name,
      cloudregion_id: resourceId('region', inventory, region.ref.id),
    }),
    ...(zone && { zone: zone.name, zone_id: resourceId('zone', inventory, zone.ref.id) }),
  }
}

function describeHost(entity: Entity, inventory: Inventory): ReportedHost {
  const { texts, serial = '' } = entity
  return {
    ...siteOf(inventory, entity.ref.id),
    id: resourceId('host', inventory, entity.ref.id),
    name: entity.name,
    ...hostStatusOf(entity),
    host_type: 'esxi',
    access_ip: ipaddr.isValid(entity.name) ? entity.name : '',
    sn: serial,
    cpu_count: numberOf(texts['summary.hardware.numCpuThreads'] ?? ''),
    cpu_desc: texts['summary.hardware.cpuModel'] ?? '',
    mem_size: Math.floor(numberOf(texts['summary.hardware.memorySize'] ?? '') / mebibyte),
    version: texts['summary.config.product.version'] ?? '',
    external_id: entity.ref.id,
  }
}

/** VLANs of standard port groups by datacenter and name: only hosts know them. */
function standardVlans(inventory: Inventory): ReadonlyMap<string, number> {
  const vlans = new Map<string, number>()
  for (const { ref, vlans: own = [] } of inventory.all(host)) {
    const region = inventory.around(ref.id, datacenter)?.ref.id ?? ''
    for (const [name, vlan] of own) {
      const key = `${region} ${name}`
      if (!vlans.has(key)) vlans.set(key, vlan)
    }
  }
  return vlans
}

function describeNetwork(
  entity: Entity,
  inventory: Inventory,
  vlans: ReadonlyMap<string, number>,
): ReportedNetwork {
  const region = inventory.around(entity.ref.id, datacenter)?.ref.id ?? ''
  const isAccessible = entity.texts['summary.accessible'] === 'true'
  return {
    ...siteOf(inventory, entity.ref.id),
    id: resourceId('network', inventory, entity.ref.id),
    name: entity.name,
    status: isAccessible ? 'available' : 'down',
    // A trunk has ranges instead of a number.
    vlan_id:
      entity.ref.type === 'Network'
        ? (vlans.get(`${region} ${entity.name}`) ?? 0)
        : numberOf(entity.texts.vlanId ?? ''),
    external_id: entity.ref.id,
  }
}

/** Converts datacenters to regions, clusters to zones, and hosts and port groups. */
export function toResources(inventory: Inventory): ReportedResources {
  const vlans = standardVlans(inventory)
  return {
    cloudregions: inventory.all(datacenter).map(({ ref, name }) => ({
      id: resourceId('region', inventory, ref.id),
      name,
      status: 'inservice',
      cloud_env: 'onpremise',
      external_id: ref.id,
    })),
    zones: inventory.all(computeResource).map(({ ref, name }) => {
      const { cloudregion = '', cloudregion_id = '' } = siteOf(inventory, ref.id)
      return {
        id: resourceId('zone', inventory, ref.id),
        name,
        status: 'enable',
        cloudregion,
        cloudregion_id,
        external_id: ref.id,
      }
    }),
    hosts: inventory.all(host).map((entity) => describeHost(entity, inventory)),
    networks: inventory
      .all(network)
      .filter(({ isUplink }) => isUplink !== true)
      .map((entity) => describeNetwork(entity, inventory, vlans)),
  }
}
