import type { Disk } from '@muster/contract'
import type { Storage } from './clouds/cloud.ts'
import { below, diceOfText, pick, uuid } from './random-hash.ts'
import type { OperatingSystem } from './operating-systems.ts'
import type { Purpose } from './purposes.ts'
import type { Site } from './sites.ts'

const gibibyte = 1_024
const systemSizes = [20, 30, 40, 40, 50, 80, 100]
const dataSizes = [50, 100, 100, 200, 200, 500, 500, 1_000, 2_000, 4_000]
const maxDisks = 5

interface Circumstances {
  readonly seed: number
  readonly dice: number
  readonly site: Site
  readonly os: OperatingSystem
  readonly purpose: Purpose
}

/** The system disk, and data disks by purpose. */
export function disksOf(circumstances: Circumstances): Disk[] {
  const { seed, dice, site, os, purpose } = circumstances
  const { formats, drivers, storages, cache, aio } = site.cloud.disks
  const extra = below(dice, 40, 20)
  const wanted = 1 + purpose.dataDisks + (extra === 0 ? 1 : 0)
  const hasSwap = extra === 19 && os.type === 'Linux'
  const format = pick(dice, 41, formats)
  const driver = pick(dice, 42, drivers)
  const fast = storages[0] as Storage
  const disks: Disk[] = []
  for (let index = 0; index < Math.min(wanted + (hasSwap ? 1 : 0), maxDisks); index += 1) {
    const isSystem = index === 0
    const isSwap = hasSwap && index === wanted
    const storage = isSystem ? fast : pick(dice, 43, storages)
    const size = isSwap
      ? 8
      : isSystem
        ? pick(dice, 44, systemSizes) + (os.type === 'Windows' ? 40 : 0)
        : pick(dice, 45 + index, dataSizes)
    disks.push({
      id: uuid(dice, 50 + index),
      name: isSystem ? 'root' : `data-${index}`,
      index,
      size: size * gibibyte,
      disk_type: isSystem ? 'sys' : isSwap ? 'swap' : 'data',
      disk_format: format,
      driver,
      cache_mode: cache,
      aio_mode: aio,
      medium_type: storage.medium,
      storage_type: storage.type,
      fs: isSwap ? 'swap' : os.fs,
      iops: storage.iops,
      bps: storage.bps,
      image: isSystem ? os.image : '',
      image_id: isSystem ? imageId(seed, site, os) : '',
    })
  }
  return disks
}

const images = new Map<string, string>()

/** An image has another id in each region. Cached: few, and needed for every server. */
export function imageId(
  seed: number,
  { cloudregion_id }: Site,
  { image }: OperatingSystem,
): string {
  const key = `${seed} ${cloudregion_id} ${image}`
  const known = images.get(key)
  if (known !== undefined) return known
  const id = uuid(diceOfText(seed, key), 6)
  images.set(key, id)
  return id
}
