import type { inventoryResourceOperations } from '@muster/contract'
import type { Caller } from '../../domain/identity/caller.ts'
import type { ResourceUseCases } from '../../domain/inventory/list-resources.ts'
import type { ResourceKind } from '../../domain/inventory/resource-kinds.ts'
import type { ListParameters } from '../../domain/query/read-list-query.ts'
import type { ScopeParameter } from '../../domain/query/list-query.ts'
import { conditionalResponse } from '../conditional-response.ts'
import { nextLink } from '../next-link.ts'
import type { HandlersFor } from '../register-operations.ts'

interface Call {
  readonly caller: Caller
  readonly url: string
  readonly ifNoneMatch: string | undefined
}

interface ListCall extends Call {
  readonly query: ListParameters
}

interface GetCall extends Call {
  readonly parameters: { readonly id: string }
  readonly query: { readonly scope?: ScopeParameter }
}

/** Handlers for hosts, networks, regions, zones and managers. */
export function createResourceHandlers(
  { listResources, getResource }: ResourceUseCases,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof inventoryResourceOperations> {
  const list =
    (kind: ResourceKind) =>
    async ({ caller, query, url, ifNoneMatch }: ListCall) => {
      const { marker, ...page } = await listResources(kind, caller, query)
      const headers = nextLink(baseUrl + url, marker === undefined ? undefined : { marker })
      return conditionalResponse({ ...page, headers }, ifNoneMatch)
    }
  const get =
    (kind: ResourceKind) =>
    async ({ caller, parameters, query, ifNoneMatch }: GetCall) => {
      const found = await getResource(kind, caller, parameters.id, query.scope)
      return conditionalResponse({ ...found, headers: {} }, ifNoneMatch)
    }
  return {
    listHosts: list('hosts'),
    getHost: get('hosts'),
    listNetworks: list('networks'),
    getNetwork: get('networks'),
    listCloudRegions: list('cloudregions'),
    getCloudRegion: get('cloudregions'),
    listZones: list('zones'),
    getZone: get('zones'),
    listManagers: list('cloudproviders'),
    getManager: get('cloudproviders'),
  }
}
