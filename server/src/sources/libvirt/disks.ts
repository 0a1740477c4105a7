import { derivedId } from '../../domain/sources/derived-id.ts'
import type { ReportedDisk } from '../../domain/sources/reported-parts.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  numberOf,
  textOf,
  type XmlElement,
} from '../shared/parse-xml.ts'
import type { HostResources } from './host-resources.ts'
import { poolHolding, type Pool } from './pools.ts'

const mebibyte = 1_048_576

const isDisk = (disk: XmlElement) => ['', 'disk', 'lun'].includes(attributeOf(disk, 'device'))

/** The file, device or network image of a disk. */
function sourceOf(disk: XmlElement): string {
  const source = childOf(disk, 'source')
  const names = ['file', 'dev', 'name', 'volume', 'dir']
  return names.map((name) => attributeOf(source, name)).find((text) => text !== '') ?? ''
}

const lastPart = (path: string) => path.split('/').at(-1) ?? ''

/** The names of targets are unique within a domain. */
const targetOf = (disk: XmlElement): string => attributeOf(childOf(disk, 'target'), 'dev')

function storageTypeOf(disk: XmlElement, pools: ReadonlyMap<string, Pool>): string {
  const type = attributeOf(disk, 'type')
  const source = childOf(disk, 'source')
  if (type === 'network') return attributeOf(source, 'protocol')
  if (type === 'volume') {
    return pools.get(attributeOf(source, 'pool'))?.storageType ?? 'local'
  }
  const path = sourceOf(disk)
  const pool = poolHolding(pools.values(), path)
  if (pool) return pool.storageType
  // A device-mapper path of this form is a logical volume.
  return type === 'block' && /^\/dev\/mapper\/[^/]+-[^/]+$/.test(path) ? 'lvm' : 'local'
}

/** A limit in one direction only is no total limit. */
function limitOf(disk: XmlElement, unit: 'iops' | 'bytes'): number {
  const read = (name: string) => numberOf(textOf(disk, 'iotune', `${name}_${unit}_sec`))
  const [total, reading, writing] = [read('total'), read('read'), read('write')]
  if (total > 0) return total
  return reading > 0 && writing > 0 ? reading + writing : 0
}

function mediumOf(disk: XmlElement): string {
  const rate = numberOf(attributeOf(childOf(disk, 'target'), 'rotation_rate'))
  if (rate === 0) return ''
  return rate === 1 ? 'ssd' : 'rotate'
}

/** The base image at the end of the backing chain, if libvirt reports it. */
function imageOf(disk: XmlElement): string {
  let image = ''
  let backing = childOf(disk, 'backingStore')
  while (backing) {
    const name = lastPart(sourceOf(backing))
    if (name !== '') image = name
    backing = childOf(backing, 'backingStore')
  }
  return image
}

/** The boot disk comes first; the order of the others stays. */
function inOrder(disks: readonly XmlElement[]): readonly XmlElement[] {
  const orderOf = (disk: XmlElement) =>
    numberOf(attributeOf(childOf(disk, 'boot'), 'order')) || Infinity
  const first = disks.toSorted((one, other) => {
    const [left, right] = [orderOf(one), orderOf(other)]
    return left === right ? 0 : left - right
  })[0]
  return first ? [first, ...disks.filter((disk) => disk !== first)] : []
}

const known = (word: string) => (word === 'default' ? '' : word)

export interface DiskCircumstances {
  readonly uuid: string
  readonly pools: ReadonlyMap<string, Pool>
  /** Bytes by target. */
  readonly capacities: ReadonlyMap<string, number>
  /** The id of the template, from the domain's metadata. */
  readonly imageId: string
}

export function disksOf(
  devices: XmlElement | undefined,
  circumstances: DiskCircumstances,
): ReportedDisk[] {
  const { uuid, pools, capacities, imageId } = circumstances
  return inOrder(childrenOf(devices, 'disk').filter(isDisk)).map((disk, index): ReportedDisk => {
    const target = targetOf(disk)
    const driver = childOf(disk, 'driver')
    const isSystem = index === 0
    return {
      id: derivedId('libvirt disk', uuid, target),
      name: target,
      size: Math.ceil((capacities.get(target) ?? 0) / mebibyte),
      disk_format: attributeOf(driver, 'type'),
      driver: attributeOf(childOf(disk, 'target'), 'bus'),
      cache_mode: known(attributeOf(driver, 'cache')),
      aio_mode: known(attributeOf(driver, 'io')),
      medium_type: mediumOf(disk),
      storage_type: storageTypeOf(disk, pools),
      iops: limitOf(disk, 'iops'),
      bps: limitOf(disk, 'bytes'),
      image: isSystem ? imageOf(disk) : '',
      image_id: isSystem ? imageId : '',
    }
  })
}

/** Whether a disk may be in a pool that could not be read. */
export const lacksPool = (
  devices: XmlElement | undefined,
  { pools, isUnread }: HostResources,
): boolean =>
  childrenOf(devices, 'disk')
    .filter(isDisk)
    .some((disk) => {
      const type = attributeOf(disk, 'type')
      if (type === 'network') return false
      if (type === 'volume') return isUnread('pools', attributeOf(childOf(disk, 'source'), 'pool'))
      return isUnread('pools') && !poolHolding(pools.values(), sourceOf(disk))
    })

/** Disks whose size libvirt can report. */
export const sizedTargets = (devices: XmlElement | undefined): readonly string[] =>
  childrenOf(devices, 'disk')
    .filter((disk) => isDisk(disk) && sourceOf(disk) !== '')
    .map(targetOf)

/** The image in the first CD drive that has one. */
export const cdromOf = (devices: XmlElement | undefined): string =>
  childrenOf(devices, 'disk')
    .filter((disk) => attributeOf(disk, 'device') === 'cdrom')
    .map((disk) => lastPart(sourceOf(disk)))
    .find((name) => name !== '') ?? ''
