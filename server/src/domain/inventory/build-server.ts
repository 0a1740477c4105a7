import { defaultValues, servers, type Server } from '@muster/contract'
import { metadataOf } from './metadata.ts'
import type { ServerFacts } from './server-facts.ts'

/** The value of every field that the source does not report. */
export const defaultServer: Server = defaultValues(servers)

/** What Muster adds to the facts of a source. */
export interface Circumstances {
  readonly domainId: string
  readonly managerDomainId: string
  /** The owner's own tags, without a prefix. */
  readonly ownTags: Readonly<Record<string, string>>
  /** Used if the source does not report it: when the server was first seen. */
  readonly createdAt: string
  readonly updateVersion: number
  readonly updatedAt: string
}

const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join(',')

const describeDisks = (disks: Server['disks_info']) =>
  disks
    .map(
      ({ index, size, disk_format, driver, cache_mode, aio_mode, fs }) =>
        `disk${index}:${size}M/${disk_format}/${driver}/${cache_mode}/${aio_mode}/${fs}`,
    )
    .join(',')

/** Sets the fields that follow from other fields. */
function withDerivedFields(server: Server): Server {
  const { disks_info, nics, secgroups, region, provider } = server
  const [group] = secgroups
  return {
    ...server,
    brand: server.brand === '' ? provider : server.brand,
    cloudregion: region,
    disk: disks_info.reduce((sum, { size }) => sum + size, 0),
    disk_count: disks_info.length,
    disks: describeDisks(disks_info),
    ips: joined([...nics.map(({ ip_addr }) => ip_addr), ...nics.map(({ ip6_addr }) => ip6_addr)]),
    is_gpu: server.is_gpu || server.isolated_devices.some(({ dev_type }) => dev_type === 'GPU'),
    region_external_id: server.region_ext_id === '' ? '' : `${provider}/${server.region_ext_id}`,
    region_id: server.cloudregion_id,
    secgroup: group?.name ?? '',
    secgrp_id: group?.id ?? '',
    tenant_id: server.project_id,
  }
}

/** The stored server: the facts of the source and what follows from them. Caller fields have default values. */
export function buildServer(facts: ServerFacts, circumstances: Circumstances): Server {
  const { adminGroup, tags = {}, notes = {}, ...known } = facts
  return withDerivedFields({
    ...defaultServer,
    ...known,
    admin_secgrp_id: adminGroup?.id ?? '',
    admin_security_rules: adminGroup?.rules ?? '',
    created_at: facts.created_at ?? circumstances.createdAt,
    domain_id: circumstances.domainId,
    manager_domain_id: circumstances.managerDomainId,
    metadata: metadataOf({ own: circumstances.ownTags, source: tags, notes }),
    update_version: circumstances.updateVersion,
    updated_at: facts.updated_at ?? circumstances.updatedAt,
  })
}

const fieldNames = Object.keys(defaultServer) as (keyof Server)[]

/** A server that another version of Muster stored, with exactly the fields of this version. */
export function upgradeServer(stored: Partial<Server>): Server {
  const known = fieldNames.filter((name) => stored[name] !== undefined)
  return withDerivedFields({
    ...defaultServer,
    ...Object.fromEntries(known.map((name) => [name, stored[name]])),
  })
}

/** The fields that a server stored by another version lacks. */
export const missingFields = (stored: Partial<Server>): ReadonlySet<string> =>
  new Set(fieldNames.filter((name) => stored[name] === undefined))
