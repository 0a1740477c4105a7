import { childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { decodeName } from './inventory.ts'
import type { Machine } from './machine.ts'

/** All snapshots of a tree, at any depth. */
function flatten(trees: readonly XmlElement[]): readonly XmlElement[] {
  const found: XmlElement[] = []
  const open = [...trees]
  for (let tree = open.pop(); tree; tree = open.pop()) {
    found.push(tree)
    open.push(...childrenOf(tree, 'childSnapshotList'))
  }
  return found
}

/** How many snapshots a virtual machine has, and the newest one. */
export function snapshotNotes(machine: Machine): Record<string, string> {
  const snapshots = flatten(childrenOf(machine.value('snapshot'), 'rootSnapshotList'))
  const timeOf = (snapshot: XmlElement) => Date.parse(textOf(snapshot, 'createTime')) || 0
  const [newest] = snapshots.toSorted((one, other) => timeOf(other) - timeOf(one))
  if (!newest) return {}
  const time = timeOf(newest)
  return {
    snapshots: String(snapshots.length),
    newest_snapshot: decodeName(textOf(newest, 'name')),
    ...(time > 0 && { newest_snapshot_at: new Date(time).toISOString() }),
  }
}
