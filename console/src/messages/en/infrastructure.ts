import type { InfrastructureField, InfrastructureKind } from '../../inventory/kinds.ts'

type Texts = Readonly<Record<InfrastructureKind, string>>

const kinds: Texts = {
  hosts: 'Hosts',
  networks: 'Networks',
  cloudregions: 'Regions',
  zones: 'Zones',
  cloudproviders: 'Managers',
}

const many = (kind: InfrastructureKind) => kinds[kind].toLowerCase()

const one: Texts = {
  hosts: 'Host',
  networks: 'Network',
  cloudregions: 'Region',
  zones: 'Zone',
  cloudproviders: 'Manager',
}

/** Hosts, networks, regions, zones and managers. */
export const infrastructure = {
  tabs: 'Infrastructure',
  kinds,
  one,
  countOf: (kind: InfrastructureKind, shown: string, all: string) =>
    shown === all ? `${all} ${many(kind)}` : `${shown} of ${all} ${many(kind)}`,
  filter: (kind: InfrastructureKind) => `Filter ${many(kind)}`,
  filterHint: 'Name, ID, or a filter such as status:running',
  noMatch: (kind: InfrastructureKind) => `No matching ${many(kind)}`,
  noMatchText: (kind: InfrastructureKind) => `No ${many(kind)} match`,
  none: (kind: InfrastructureKind) => `No ${many(kind)} yet`,
  noneText: (kind: InfrastructureKind) =>
    `Accounts report ${many(kind)} together with their servers. Without a system role, you see those that your servers use.`,
  notAllowed: 'You do not have access to servers here',
  showServers: (count: number, shown: string) =>
    count === 1 ? 'Show 1 server' : `Show ${shown} servers`,
  noServers: 'No servers that you can access',
  notFound: (kind: InfrastructureKind) => `${one[kind]} not found`,
  notFoundText: 'It is not visible to you, or its account no longer reports it.',
  toAll: (kind: InfrastructureKind) => `Show all ${many(kind)}`,
  fields: {
    id: 'ID',
    name: 'Name',
    status: 'Status',
    host_status: 'Connection',
    host_type: 'Type',
    enabled: 'Enabled',
    access_ip: 'Address',
    sn: 'Serial number',
    cpu_count: 'CPUs',
    cpu_desc: 'CPU model',
    mem_size: 'Memory',
    version: 'Hypervisor version',
    provider: 'Provider',
    brand: 'Brand',
    account: 'Account',
    account_id: 'Account ID',
    manager: 'Manager',
    manager_id: 'Manager ID',
    cloudregion: 'Region',
    cloudregion_id: 'Region ID',
    zone: 'Zone',
    zone_id: 'Zone ID',
    external_id: 'Source ID',
    guests: 'Servers',
    guest_count: 'Servers',
    created_at: 'First seen',
    updated_at: 'Last change',
    guest_ip_start: 'Addresses',
    guest_ip_end: 'Last address',
    guest_ip_mask: 'Prefix length',
    guest_gateway: 'Gateway',
    vlan_id: 'VLAN',
    vpc: 'VPC',
    vpc_id: 'VPC ID',
    cloud_env: 'Environment',
    cloudaccount: 'Account',
    cloudaccount_id: 'Account ID',
    tenant_id: 'Default project',
  } satisfies Record<InfrastructureField, string> as Readonly<Record<string, string>>,
}
