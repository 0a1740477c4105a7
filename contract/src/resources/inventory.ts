import { cloudproviders } from './cloudproviders.ts'
import { cloudregions } from './cloudregions.ts'
import { disks } from './disks.ts'
import { flavors } from './flavors.ts'
import { hosts } from './hosts.ts'
import { images } from './images.ts'
import type { InventoryKind } from './names.ts'
import { networks } from './networks.ts'
import type { FieldDescription, FieldName, InventoryResource } from './resource.ts'
import type { servers } from './servers.ts'
import { zones } from './zones.ts'

type ServerField = FieldName<typeof servers>

interface Described extends InventoryResource {
  readonly fields: Readonly<
    Record<string, FieldDescription & { ofServer?: ServerField; fromServer?: ServerField }>
  >
}

/** The resources that Muster finds at sources, besides servers. */
export const inventoryResources = {
  hosts,
  networks,
  disks,
  images,
  flavors,
  cloudregions,
  zones,
  cloudproviders,
} as const satisfies Readonly<Record<InventoryKind, Described>>
