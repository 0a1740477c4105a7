import type { Disk, Server } from '@muster/contract'
import type { ChildKind, InventoryObject } from './kinds.ts'
import { maxIndexedLength } from './referenced-resources.ts'
import type { ResourceObject } from './resource-finder.ts'

/** What a server says about one of its items in `<kind>_info`. */
interface ServerItem {
  readonly id: string
  readonly name: string
}

/** Fields of items that have another name in the server. */
const renamed: Readonly<Record<string, ((item: never) => object) | undefined>> = {
  disks: ({
    size,
    fs,
    bps,
    image,
    image_id,
    ...disk
  }: Disk): Partial<InventoryObject<'disks'>> => ({
    ...disk,
    disk_size: size,
    fs_format: fs,
    throughput: bps,
    template: image,
    template_id: image_id,
  }),
}

/** The items of a kind that belong to a server, without the fields of the server. */
export function childrenOf(kind: ChildKind, server: Server): readonly ResourceObject[] {
  const items: readonly ServerItem[] = server[`${kind}_info`]
  return items
    .filter(({ id }) => id.length <= maxIndexedLength)
    .map((item) => ({
      ...(renamed[kind]?.(item as never) ?? item),
      id: item.id,
      name: item.name.slice(0, maxIndexedLength).toWellFormed(),
    }))
}
