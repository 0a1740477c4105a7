import {
  inventoryKinds,
  inventoryResources,
  type InventoryKind,
  type InventoryResource,
  type Wire,
} from '@muster/contract'

export { inventoryKinds, type InventoryKind }

export type InventoryResources = typeof inventoryResources
export type InventoryObject<Kind extends InventoryKind> = Wire<InventoryResources[Kind]>

type KindThrough<Through extends string> = {
  [Kind in InventoryKind]: InventoryResources[Kind]['visibility']['through'] extends Through
    ? Kind
    : never
}[InventoryKind]

/** The kinds that servers refer to. */
export type ReferencedKind = KindThrough<'servers'>
/** The kinds whose items belong to one server each. */
export type ChildKind = KindThrough<'parent'>

export const resourceOf = (kind: InventoryKind): InventoryResource => inventoryResources[kind]

const kindsThrough = <Kind extends InventoryKind>(through: string) =>
  inventoryKinds.filter((kind): kind is Kind => resourceOf(kind).visibility.through === through)

export const referencedKinds = kindsThrough<ReferencedKind>('servers')
export const childKinds = kindsThrough<ChildKind>('parent')
/** Those whose fields in a server follow from their description. Disks have other names there. */
export const describedChildKinds: readonly ChildKind[] = childKinds.filter(
  (kind) => kind !== 'disks',
)

/** How servers refer to a kind. */
export const referenceTo = <Kind extends ReferencedKind>(
  kind: Kind,
): InventoryResources[Kind]['visibility'] => inventoryResources[kind].visibility
