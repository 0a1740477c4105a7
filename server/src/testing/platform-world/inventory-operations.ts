import { inventoryRoutes } from '@muster/contract'

type Id = keyof typeof inventoryRoutes
type ListId = Extract<Id, `list${string}`>

/** The same values for the operations of each kind of the inventory: they have the same rules. */
export const forEachInventoryKind = <List, Get>(list: List, get: Get) =>
  Object.fromEntries(
    Object.keys(inventoryRoutes).map((id) => [id, id.startsWith('list') ? list : get]),
  ) as Record<ListId, List> & Record<Exclude<Id, ListId>, Get>
