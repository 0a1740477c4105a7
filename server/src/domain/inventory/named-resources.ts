import { defaultValues, type Resource, type Server } from '@muster/contract'
import {
  allKinds,
  resourceKinds,
  resourceOf,
  type ResourceKind,
  type ResourceOf,
} from './resource-kinds.ts'
import type { ResourceObject } from './resource-finder.ts'

/** The fields of a server that say something about the resources that it names. */
type NamingServer = Partial<Omit<Server, 'name' | 'status'>>

type Described<Kind extends ResourceKind> = Partial<ResourceOf<Kind>>

const placeOf = ({ region, cloudregion_id, zone, zone_id }: NamingServer) => ({
  cloudregion: region,
  cloudregion_id,
  zone,
  zone_id,
})

/** Without the manager: servers of several tenants may share a host or a network. */
const reporterOf = ({ provider, account, account_id }: NamingServer) => ({
  provider,
  account,
  account_id,
})

/** What a server says about each resource that it names. Undefined values are not known. */
const describe: {
  readonly [Kind in Exclude<ResourceKind, 'networks'>]: (server: NamingServer) => {
    readonly [Name in keyof Described<Kind>]: Described<Kind>[Name] | undefined
  }
} = {
  cloudregions: ({ cloudregion_id, region, provider, cloud_env, region_ext_id }) => ({
    id: cloudregion_id,
    name: region,
    provider,
    cloud_env,
    external_id: region_ext_id,
  }),
  zones: ({ zone_id, zone, provider, region, cloudregion_id, zone_ext_id }) => ({
    id: zone_id,
    name: zone,
    provider,
    cloudregion: region,
    cloudregion_id,
    external_id: zone_ext_id,
  }),
  cloudproviders: (server) => ({
    id: server.manager_id,
    name: server.manager,
    provider: server.provider,
    brand: server.brand,
    cloudaccount: server.account,
    cloudaccount_id: server.account_id,
    tenant_id: server.manager_project_id,
  }),
  hosts: (server) => ({
    id: server.host_id,
    name: server.host,
    status: server.host_status || undefined,
    host_status: server.host_service_status,
    host_type: server.host_type,
    sn: server.host_sn,
    brand: server.brand,
    ...reporterOf(server),
    ...placeOf(server),
  }),
}

/** Fields that a resource has and whose values are known. */
const knownFields = ({ fields }: Resource, values: object) =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== undefined && Object.hasOwn(fields, name),
    ),
  )

/** A resource with default values for the fields that are not known. Without a name, the id is shown. */
export function toResource(kind: ResourceKind, id: string, values: object): ResourceObject {
  const resource = resourceOf(kind)
  const object: Record<string, unknown> & { id: string } = {
    ...defaultValues(resource),
    ...knownFields(resource, values),
    id,
  }
  return object['name'] === '' ? { ...object, name: id } : object
}

type NamingField = (typeof resourceKinds)[ResourceKind]['namedBy']

/** The kinds whose ids servers have in a field. */
const idFields = allKinds.flatMap((kind) => {
  const { namedBy } = resourceKinds[kind]
  return namedBy === 'nics' ? [] : [{ kind, namedBy }]
})

/** Calls back with each resource that a server names. */
export function eachNamedResource(
  server: Omit<Pick<NamingServer, NamingField>, 'nics'> & {
    readonly nics?: readonly { readonly network_id?: string }[]
  },
  found: (kind: ResourceKind, id: string) => void,
): void {
  for (const { kind, namedBy } of idFields) {
    const id = server[namedBy]
    if (id) found(kind, id)
  }
  if (server.nics)
    for (const { network_id } of server.nics) if (network_id) found('networks', network_id)
}

/** What a server says about a resource that it names. */
export function describeNamed(kind: ResourceKind, id: string, server: NamingServer): object {
  if (kind !== 'networks') return knownFields(resourceOf(kind), describe[kind](server))
  const nic = server.nics?.find(({ network_id }) => network_id === id)
  const { cloudregion, cloudregion_id } = placeOf(server)
  return knownFields(resourceOf(kind), {
    ...reporterOf(server),
    cloudregion,
    cloudregion_id,
    vpc_id: nic?.vpc_id,
  })
}
