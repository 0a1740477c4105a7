import { unlessUnsupported, type Calls } from './calls.ts'
import type { ListBudget } from '../shared/list-budget.ts'
import { attributeOf, parseIfPossible, textOf } from '../shared/parse-xml.ts'

/** A storage pool. */
export interface Pool {
  readonly name: string
  readonly storageType: string
  /** Empty if its volumes are not files of the host. */
  readonly path: string
}

/** `storage_type` by libvirt's pool type. */
const storageTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dir: 'local',
    fs: 'local',
    disk: 'local',
    zfs: 'local',
    mpath: 'local',
    scsi: 'local',
    netfs: 'nfs',
    logical: 'lvm',
    rbd: 'rbd',
  }),
)

export async function readPools(calls: Calls, budget: ListBudget): Promise<readonly Pool[]> {
  const handles = (await unlessUnsupported(calls.pools())) ?? []
  const pools = await Promise.all(
    handles.map(async (handle): Promise<Pool[]> => {
      const xml = parseIfPossible(await unlessUnsupported(calls.poolXml(handle)))
      if (!xml) return []
      const type = attributeOf(xml, 'type')
      const path = textOf(xml, 'target', 'path').replace(/(?<!\/)\/+$/, '')
      const pool = { name: handle.name, storageType: storageTypes.get(type) ?? type, path }
      return budget.take(pool, 'storage pools') ? [pool] : []
    }),
  )
  // Longest path first: the innermost folder that contains a file is its pool.
  return pools.flat().toSorted((one, other) => other.path.length - one.path.length)
}

export const poolHolding = (pools: readonly Pool[], file: string): Pool | undefined =>
  pools.find(({ path }) => path !== '' && file.startsWith(`${path}/`))
