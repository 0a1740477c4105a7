import type { inventoryResources } from '@muster/contract'
import { inventoryKinds, type InventoryKind } from '@muster/contract/names'

/** Any field of any of the resources. Their descriptions are loaded with their pages. */
export type InventoryField = {
  [Kind in InventoryKind]: keyof (typeof inventoryResources)[Kind]['fields']
}[InventoryKind]

export const isInventoryKind = (word: string | undefined): word is InventoryKind =>
  inventoryKinds.some((kind) => kind === word)

export { inventoryKinds, type InventoryKind }
