import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedFacts,
  ReportedServer,
  ServerKey,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { booleanOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { devicesOf } from './devices.ts'
import { bootImageOf, disksOf } from './disks.ts'
import { imageFactsOf } from './image-facts.ts'
import type { LoadedLookups, Lookups } from './lookups.ts'
import { connectionOf, securityOf } from './nics.ts'
import { flavorIdOf, hostIdOf, regionIdOf, zoneIdOf, type Site } from './resource-ids.ts'
import { statusOf } from './status.ts'
import { unreadFields } from './unread-fields.ts'

/** What the facts of a server are made of, besides the server itself. */
export interface MappingContext {
  readonly site: Site
  readonly lookups: Lookups
  /** Names of projects, by id. */
  readonly projectNames: ReadonlyMap<string, string>
  /** Of lists that failed or were too long. */
  readonly failures: LoadedLookups['failures']
  readonly cut: LoadedLookups['cut']
}

/** With the project: copies of a cloud can have servers of the same id. */
export function keyOf(server: Json): ServerKey {
  const [project, id] = [textOf(server, 'tenant_id'), textOf(server, 'id')]
  if (project !== '' && id !== '') return ['openstack', project, id]
  throw new SourceError(
    'invalid-response',
    `Nova sent a server without ${id === '' ? 'an id' : 'a project'}.`,
  )
}

/** The machine of a server. Nova shows it to administrators only. */
export const hostNameOf = (server: Json): string =>
  textOf(server, 'OS-EXT-SRV-ATTR:hypervisor_hostname') || textOf(server, 'OS-EXT-SRV-ATTR:host')

export const zoneNameOf = (server: Json): string => textOf(server, 'OS-EXT-AZ:availability_zone')

/** While a cell of Nova does not respond, Nova knows little more than the ids of its servers. */
export const isReadable = (server: Json): boolean =>
  typeof server['name'] === 'string' && typeof server['addresses'] === 'object'

/** A server in the form of Muster, or why it cannot be read. */
export function toServer(server: Json, context: MappingContext): ReportedServer | UnreadableServer {
  const key = keyOf(server)
  const name = textOf(server, 'name')
  try {
    if (!isReadable(server)) {
      const problem = textOf(server, 'problem') || 'Nova does not reach the database of its cell.'
      throw new SourceError('incomplete', problem)
    }
    const id = textOf(server, 'tenant_id')
    const project = context.projectNames.get(id)
    const tenant = { id, name: project ?? id }
    const unread = [
      ...unreadFields(server, context),
      ...(project === undefined ? (['tenant'] as const) : []),
    ]
    const facts = factsOf(server, context)
    return { key, tenant, facts, ...(unread.length > 0 && { unread }) }
  } catch (error) {
    return unreadableServer(key, name === '' ? textOf(server, 'id') : name, error)
  }
}

function flavorOf(server: Json, { flavors }: Lookups): Json {
  const flavor = objectOf(server, 'flavor')
  return flavors.get(textOf(flavor, 'id')) ?? flavor
}

/** Metadata, and Nova's tags, which have no values. Sorted, because their order varies. */
function tagsOf(server: Json): Record<string, string> {
  const metadata = Object.entries(objectOf(server, 'metadata')).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const tags = Array.isArray(server['tags']) ? server['tags'].map(String) : []
  const all = [...tags.map((tag) => [tag, ''] as const), ...metadata]
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

function locationOf(server: Json, site: Site): Partial<ReportedFacts> {
  const [zone, host] = [zoneNameOf(server), hostNameOf(server)]
  return {
    region: site.region,
    region_ext_id: site.region,
    cloudregion_id: regionIdOf(site),
    ...(zone !== '' && { zone, zone_ext_id: zone, zone_id: zoneIdOf(site, zone) }),
    ...(host !== '' && { host, host_id: hostIdOf(site, host) }),
  }
}

function factsOf(server: Json, { site, lookups }: MappingContext): ReportedFacts {
  const flavor = flavorOf(server, lookups)
  const ports = lookups.portsOf.get(textOf(server, 'id')) ?? []
  const created = Date.parse(textOf(server, 'created'))
  const isolated_devices = devicesOf(flavor)
  const flavorName = textOf(flavor, 'original_name') || textOf(flavor, 'name')
  return {
    name: textOf(server, 'name'),
    description: textOf(server, 'description'),
    external_id: textOf(server, 'id'),
    ...statusOf(server),
    ...(!Number.isNaN(created) && { created_at: timestamp(created) }),
    hypervisor: 'openstack',
    host_type: 'openstack',
    cloud_env: 'private',
    ...locationOf(server, site),
    instance_type: flavorName,
    flavor_id: textOf(flavor, 'id') || flavorName,
    flavor_uuid: flavorName === '' ? '' : flavorIdOf(site, flavorName),
    vcpu_count: numberOf(flavor, 'vcpus'),
    vmem_size: numberOf(flavor, 'ram'),
    disks_info: disksOf(server, flavor, lookups),
    ...connectionOf(server, ports, lookups),
    ...securityOf(server, ports, lookups),
    isolated_devices,
    is_gpu: isolated_devices.some(({ dev_type }) => dev_type === 'GPU'),
    keypair: textOf(server, 'key_name'),
    keypair_id: textOf(server, 'key_name'),
    // Nova refuses to delete a locked server.
    disable_delete: booleanOf(server, 'locked'),
    ...imageFactsOf(bootImageOf(server, lookups)),
    tags: tagsOf(server),
  }
}
