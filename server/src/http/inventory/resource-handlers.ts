import {
  inventoryKinds,
  inventoryNames,
  type InventoryKind,
  type inventoryResourceOperations,
  type ScopeParameter,
} from '@muster/contract'
import type { Caller } from '../../domain/identity/caller.ts'
import type { ResourceUseCases } from '../../domain/inventory/list-resources.ts'
import type { ListParameters } from '../../domain/query/read-list-query.ts'
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

/** Handlers for the resources of the inventory besides servers. */
export function createResourceHandlers(
  { listInventory, getInventoryItem }: ResourceUseCases,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof inventoryResourceOperations> {
  const list =
    (kind: InventoryKind) =>
    async ({ caller, query, url, ifNoneMatch }: ListCall) => {
      const { marker, ...page } = await listInventory(kind, caller, query)
      const headers = nextLink(baseUrl + url, marker === undefined ? undefined : { marker })
      return conditionalResponse({ ...page, headers }, ifNoneMatch)
    }
  const get =
    (kind: InventoryKind) =>
    async ({ caller, parameters, query, ifNoneMatch }: GetCall) => {
      const found = await getInventoryItem(kind, caller, parameters.id, query.scope)
      return conditionalResponse({ ...found, headers: {} }, ifNoneMatch)
    }
  return Object.fromEntries(
    inventoryKinds.flatMap((kind) => {
      const { noun, nouns } = inventoryNames[kind]
      return [
        [`list${nouns}`, list(kind)],
        [`get${noun}`, get(kind)],
      ]
    }),
  ) as HandlersFor<typeof inventoryResourceOperations>
}
