import { objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import type { Instance } from './instance.ts'
import type { Lookups } from './lookups.ts'
import { encodeName, isName } from './names.ts'
import { readDetails } from './problems.ts'
import { bytesOf } from './sizes.ts'

export interface Volume {
  readonly bytes: number
  readonly isIso: boolean
}

export interface Pool {
  readonly driver: string
  /** The size of volumes without one. */
  readonly defaultBytes: number
}

export const volumeKey = (pool: string, project: string, name: string): string =>
  [pool, project, name].join('/')

const readVolume = (volume: Json): Volume => ({
  bytes: bytesOf(textOf(objectOf(volume, 'config'), 'size')),
  isIso: textOf(volume, 'content_type') === 'iso',
})

/** Reads the storage that the instances use, unless it is known. */
export async function readStorage(
  { api }: Connection,
  lookups: Lookups,
  instances: readonly Instance[],
): Promise<void> {
  const { problems } = lookups
  const disks = instances.flatMap(({ project, devices }) =>
    devices
      .filter(([, { type, pool = '' }]) => type === 'disk' && pool !== '')
      .map(([, { pool = '', source = '' }]) => ({ project, pool, source })),
  )
  for (const name of new Set(disks.map(({ pool }) => pool))) {
    if (lookups.pools.has(name) || !isName(name)) continue
    const read = async (action: string): Promise<Pool> => {
      const pool = await api.get(`/storage-pools/${encodeName(name)}`, {}, action)
      return {
        driver: textOf(pool, 'driver'),
        defaultBytes: bytesOf(textOf(objectOf(pool, 'config'), 'volume.size')),
      }
    }
    const found = await readDetails(problems, api, `pool ${name}`, 'read a storage pool', read)
    lookups.pools.set(name, found ?? { driver: '', defaultBytes: 0 })
  }
  const unknown = disks.filter(
    ({ pool, project, source }) =>
      source !== '' && isName(pool) && !lookups.volumes.has(volumeKey(pool, project, source)),
  )
  const places = new Map(
    unknown.map(({ pool, project }) => [`${pool}/${project}`, { pool, project }]),
  )
  for (const [place, { pool, project }] of places) {
    const what = `volumes ${place}`
    if (problems.unread.has(what)) continue
    const path = `/storage-pools/${encodeName(pool)}/volumes/custom`
    const list = async (action: string) => {
      const volumes = await api.list(path, { recursion: '1', project }, action)
      return volumes.map((volume) => [textOf(volume, 'name'), readVolume(volume)] as const)
    }
    const found = await readDetails(problems, api, what, 'list the storage volumes', list)
    for (const entry of found ?? []) {
      const [name, volume] = entry
      if (!lookups.budget.take(entry, 'storage volumes')) problems.unread.add(what)
      else lookups.volumes.set(volumeKey(pool, project, name), volume)
    }
  }
}
