import type { Calls } from './calls.ts'
import { unlessUnsupported } from './tolerated-errors.ts'
import { attributeOf, countEntries, textOf } from '../shared/parse-xml.ts'
import type { Described } from './host-resources.ts'
import type { NamedHandle } from './records.ts'

/** A storage pool. */
export interface Pool {
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

export async function readPool(
  calls: Calls,
  handle: NamedHandle,
): Promise<Described<Pool> | undefined> {
  const xml = await unlessUnsupported(calls.poolXml(handle))
  if (!xml) return undefined
  const type = attributeOf(xml, 'type')
  const path = textOf(xml, 'target', 'path').replace(/(?<!\/)\/+$/, '')
  return { item: { storageType: storageTypes.get(type) ?? type, path }, entries: countEntries(xml) }
}

/** The innermost folder that contains a file is its pool. */
export const poolHolding = (pools: Iterable<Pool>, file: string): Pool | undefined =>
  [...pools]
    .filter(({ path }) => path !== '' && file.startsWith(`${path}/`))
    .toSorted((one, other) => other.path.length - one.path.length)[0]
