import { defaultValues, type Resource, type Server } from '@muster/contract'
import {
  referencedKinds,
  referenceTo,
  resourceOf,
  type InventoryObject,
  type ReferencedKind,
} from './kinds.ts'
import type { ResourceObject } from './resource-finder.ts'

/** The fields of a server that say something about the resources that it refers to. */
type ReferringServer = Partial<Omit<Server, 'name' | 'status'>>

type Described<Kind extends ReferencedKind> = Partial<InventoryObject<Kind>>

const locationOf = ({ region, cloudregion_id, zone, zone_id }: ReferringServer) => ({
  cloudregion: region,
  cloudregion_id,
  zone,
  zone_id,
})

/** Without the manager: servers of several tenants may share a host or a network. */
const reporterOf = ({ provider, account, account_id }: ReferringServer) => ({
  provider,
  account,
  account_id,
})

/** What a server says about each resource that it refers to. Undefined values are not known. */
const describe: {
  readonly [Kind in Exclude<ReferencedKind, 'networks'>]: (server: ReferringServer) => {
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
    ...locationOf(server),
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
export function toResource(kind: ReferencedKind, id: string, values: object): ResourceObject {
  const resource = resourceOf(kind)
  const object: Record<string, unknown> & { id: string } = {
    ...defaultValues(resource),
    ...knownFields(resource, values),
    id,
  }
  return object['name'] === '' ? { ...object, name: id } : object
}

type ReferringField = ReturnType<typeof referenceTo<ReferencedKind>>['field']

/** The kinds whose ids servers have in a field. */
const idFields = referencedKinds.flatMap((kind) => {
  const { field } = referenceTo(kind)
  return field === 'nics' ? [] : [{ kind, field }]
})

/** Calls back with each resource that a server refers to. */
export function eachReference(
  server: Omit<Pick<ReferringServer, ReferringField>, 'nics'> & {
    readonly nics?: readonly { readonly network_id?: string }[]
  },
  found: (kind: ReferencedKind, id: string) => void,
): void {
  for (const { kind, field } of idFields) {
    const id = server[field]
    if (id) found(kind, id)
  }
  if (server.nics)
    for (const { network_id } of server.nics) if (network_id) found('networks', network_id)
}

/** What a server says about a resource that it refers to. */
export function describeReferenced(
  kind: ReferencedKind,
  id: string,
  server: ReferringServer,
): object {
  if (kind !== 'networks') return knownFields(resourceOf(kind), describe[kind](server))
  const nic = server.nics?.find(({ network_id }) => network_id === id)
  const { cloudregion, cloudregion_id } = locationOf(server)
  return knownFields(resourceOf(kind), {
    ...reporterOf(server),
    cloudregion,
    cloudregion_id,
    vpc_id: nic?.vpc_id,
  })
}
