import type { Server } from '@muster/contract'
import { maxIndexedLength } from './referenced-resources.ts'
import type { ChildKind, InventoryObject } from './kinds.ts'

/** Without what Muster sets, and without fields of the server. */
type Child<Kind extends ChildKind> = Partial<InventoryObject<Kind>> & { readonly id: string }

const hasShortId = ({ id }: { readonly id: string }) => id.length <= maxIndexedLength

/** The items that belong to a server, as its description has them. */
export const childrenOf: {
  readonly [Kind in ChildKind]: (server: Server) => readonly Child<Kind>[]
} = {
  disks: ({ id, disks_info }) =>
    disks_info.filter(hasShortId).map(({ size, fs, bps, image, image_id, ...disk }) => ({
      ...disk,
      name: disk.name.slice(0, maxIndexedLength).toWellFormed(),
      guest_id: id,
      disk_size: size,
      fs_format: fs,
      throughput: bps,
      template: image,
      template_id: image_id,
    })),
}
