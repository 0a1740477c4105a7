import { derivedId } from '../../domain/sources/derived-id.ts'
import type { ReportedDisk } from '../../domain/sources/reported-parts.ts'
import { listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { imageNameOf } from './image-facts.ts'
import { volumeIdsOf, type Lookups } from './lookups.ts'

/** Nova and Cinder count in gibibytes. */
const mebibytes = 1_024

/** What a server was created from: its image, or the image of its boot volume. */
export interface BootImage {
  readonly id: string
  /** Glance's image, or the copy of its properties in the volume. */
  readonly properties: Json
}

const rootDeviceOf = (server: Json): string =>
  textOf(server, 'OS-EXT-SRV-ATTR:root_device_name') || '/dev/vda'

const deviceOf = (volume: Json | undefined, serverId: string): string =>
  textOf(
    listOf(volume, 'attachments').find((each) => textOf(each, 'server_id') === serverId),
    'device',
  )

/** A server without an image boots from a volume. */
const bootsFromVolume = (server: Json) => textOf(objectOf(server, 'image'), 'id') === ''

/** The volume that the server boots from. Without Cinder it cannot be told from the others. */
function bootVolumeOf(server: Json, { volumes }: Lookups): Json | undefined {
  if (!bootsFromVolume(server)) return undefined
  const own = volumeIdsOf(server).map((id) => volumes.get(id))
  return own.find((volume) => deviceOf(volume, textOf(server, 'id')) === rootDeviceOf(server))
}

export function bootImageOf(server: Json, lookups: Lookups): BootImage {
  const id = textOf(objectOf(server, 'image'), 'id')
  if (id !== '') return { id, properties: lookups.images.get(id) ?? {} }
  const copied = objectOf(bootVolumeOf(server, lookups), 'volume_image_metadata')
  const imageId = textOf(copied, 'image_id')
  return { id: imageId, properties: lookups.images.get(imageId) ?? copied }
}

/** The disks of the hypervisor, then the volumes by device. The boot disk comes first. */
export function disksOf(server: Json, flavor: Json, lookups: Lookups): ReportedDisk[] {
  const image = bootImageOf(server, lookups)
  const boot = bootVolumeOf(server, lookups)
  const driver = textOf(image.properties, 'hw_disk_bus')
  const imageFields = {
    image: imageNameOf(image.properties),
    image_id: image.id,
  }
  const local = (name: string, size: number, disk_type: string): ReportedDisk[] =>
    size === 0 ? [] : [{ name, size, disk_type, driver }]
  const root = bootsFromVolume(server)
    ? []
    : local('root', numberOf(flavor, 'disk') * mebibytes, 'sys').map((disk) => ({
        ...disk,
        ...imageFields,
      }))
  const volumes = volumeIdsOf(server)
    .map((id) => ({ id, volume: lookups.volumes.get(id) }))
    .map(({ id, volume }) => ({ id, volume, device: deviceOf(volume, textOf(server, 'id')) }))
    .sort((a, b) => (`${a.device} ${a.id}` < `${b.device} ${b.id}` ? -1 : 1))
    .map(({ id, volume, device }) => {
      const isBoot = boot !== undefined && volume === boot
      return {
        // Several servers can attach the volume, and each has a disk of its own.
        id: volume?.['multiattach'] === true ? derivedId('disk', textOf(server, 'id'), id) : id,
        name: textOf(volume, 'name') || device || id,
        size: numberOf(volume, 'size') * mebibytes,
        disk_type: isBoot ? 'sys' : 'data',
        driver,
        storage_type: textOf(volume, 'volume_type'),
        ...(isBoot && imageFields),
      }
    })
  return [
    ...root,
    ...volumes.filter(({ disk_type }) => disk_type === 'sys'),
    ...local('ephemeral', numberOf(flavor, 'ephemeral') * mebibytes, 'data'),
    ...local('swap', numberOf(flavor, 'swap'), 'swap'),
    ...volumes.filter(({ disk_type }) => disk_type === 'data'),
  ]
}
