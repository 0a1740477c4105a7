import {
  inventoryKinds,
  inventoryNames,
  type InventoryKind,
  type inventoryResourceOperations,
  type ScopeParameter,
} from '@muster/contract'
import type { Caller } from '../../domain/identity/caller.ts'
import type { ListParameters } from '../../domain/query/read-list-query.ts'
import { conditionalResponse } from '../conditional-response.ts'
import { nextLink } from '../next-link.ts'
import type { HandlersFor } from '../register-operations.ts'
import type { ReadAtMoment } from './read-at.ts'

interface Call {
  readonly caller: Caller
  readonly url: string
  readonly ifNoneMatch: string | undefined
  readonly prefer: string | undefined
  readonly onEnd: (end: () => void) => void
}

interface ListCall extends Call {
  readonly query: ListParameters & { readonly as_of?: string }
}

interface GetCall extends Call {
  readonly parameters: { readonly id: string }
  readonly query: { readonly scope?: ScopeParameter; readonly as_of?: string }
}

const largestScope = { defaultScope: 'max' } as const

/** Handlers for the resources of the inventory besides servers. */
export function createResourceHandlers(
  { baseUrl }: { readonly baseUrl: string },
  readAt: ReadAtMoment,
): HandlersFor<typeof inventoryResourceOperations> {
  const list =
    (kind: InventoryKind) =>
    async ({ caller, query, url: requested, ifNoneMatch, prefer, onEnd }: ListCall) => {
      const { reads, url, headers } = await readAt(
        { caller, query, url: requested, prefer, onEnd },
        largestScope,
      )
      const { marker, ...page } = await reads.listInventory(kind, caller, query)
      const link = nextLink(baseUrl + url, marker === undefined ? undefined : { marker })
      return conditionalResponse({ ...page, headers: { ...headers, ...link } }, ifNoneMatch)
    }
  const get =
    (kind: InventoryKind) =>
    async ({ caller, parameters, query, url, ifNoneMatch, prefer, onEnd }: GetCall) => {
      const { reads, headers } = await readAt({ caller, query, url, prefer, onEnd }, largestScope)
      const found = await reads.getInventoryItem(kind, caller, parameters.id, query.scope)
      return conditionalResponse({ ...found, headers }, ifNoneMatch)
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
