import type { Sighting } from '../inventory/ports.ts'
import type { SyncWarning } from './account.ts'
import {
  cutWarning,
  duplicateWarning,
  forbiddenWarning,
  incompleteWarning,
  missingWarning,
  recycledWarning,
  regionWarning,
  sharedWarning,
  unreadableWarning,
  type Duplicate,
  type Shared,
  type Unreadable,
} from './warning-texts.ts'
import { removalTime } from './missing-servers.ts'
import type { Scanned } from './scan-account.ts'

interface Timing {
  readonly hold: number
  readonly period: number
}

interface ScanFindings extends Omit<Scanned, 'unreadable' | 'counts'> {
  readonly unreadable: ReadonlyMap<string, Unreadable>
  readonly duplicates: readonly Duplicate[]
  readonly shared: readonly Shared[]
}

/**
 * The warnings of one account. Until the first complete scan they are the stored ones, then those of
 * the last scan, updated by later reports about single servers.
 */
export function createSyncWarnings(
  account: string,
  stored: readonly SyncWarning[],
  { hold, period }: Timing,
) {
  let current: readonly SyncWarning[] = stored
  let hasFailed = false
  let recycled: readonly SyncWarning[] = stored.filter(({ kind }) => kind === 'recycled')
  let found:
    | {
        readonly unreadable: Map<string, Unreadable>
        readonly cut: Map<string, string>
        readonly held: Map<string, Sighting>
        /** Warnings that only a scan changes. */
        readonly others: readonly SyncWarning[]
        readonly now: number
      }
    | undefined

  function rebuild(): void {
    if (!found) return
    const { unreadable, cut, held, others, now } = found
    let until = Infinity
    for (const sighting of held.values()) {
      until = Math.min(until, removalTime(sighting, { now, hold, period }))
    }
    current = [
      ...unreadableWarning([...unreadable.values()]),
      ...cutWarning([...cut.values()]),
      ...missingWarning(held.size, hasFailed ? null : until),
      ...others,
      ...recycled,
    ]
  }

  return {
    current: () => current,
    /** Replaces all warnings after a complete scan. */
    replace(findings: ScanFindings, now: number): void {
      const { unreadable, cut, held } = findings
      hasFailed = false
      found = {
        unreadable: new Map(unreadable),
        cut: new Map(cut),
        held: new Map(held.map((sighting) => [sighting.serverId, sighting])),
        others: [
          ...regionWarning(findings),
          ...incompleteWarning(findings.unlisted),
          ...duplicateWarning(account, findings.duplicates),
          ...sharedWarning(findings.shared),
          ...forbiddenWarning(findings.forbidden),
        ],
        now,
      }
      rebuild()
    },
    /** Applies reports about single servers. Returns true if the warnings change. */
    update({
      readable,
      unreadable,
      cut,
    }: Pick<ScanFindings, 'unreadable' | 'cut'> & {
      readonly readable: readonly string[]
    }): boolean {
      if (!found) return false
      const before = JSON.stringify(current)
      for (const id of [...readable, ...unreadable.keys()]) {
        found.unreadable.delete(id)
        found.cut.delete(id)
        found.held.delete(id)
      }
      for (const [id, server] of unreadable) found.unreadable.set(id, server)
      for (const [id, name] of cut) found.cut.set(id, name)
      rebuild()
      return JSON.stringify(current) !== before
    },
    /** Replaces the warning about servers in the recycle bin. Returns true if it changes. */
    setRecycled(servers: readonly Unreadable[]): boolean {
      const before = JSON.stringify(recycled)
      recycled = recycledWarning(servers)
      if (JSON.stringify(recycled) === before) return false
      current = [...current.filter(({ kind }) => kind !== 'recycled'), ...recycled]
      return true
    },
    /** After a failed scan the hold of missing servers starts again, so its end is unknown. */
    fail(): void {
      hasFailed = true
      current = current.flatMap((warning) =>
        warning.kind === 'missing' ? missingWarning(warning.count, null) : [warning],
      )
    },
  }
}
