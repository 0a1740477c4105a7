import { isDeepStrictEqual } from 'node:util'
import type { Sighting } from '../inventory/ports.ts'
import type { SyncCounts } from './account.ts'
import { chunk } from '../chunk.ts'
import { classifyAbsent } from './classify-absent.ts'
import { confirmMissing } from './confirm-missing.ts'
import { decideMissing } from './missing-servers.ts'
import type { SightingStore } from './ports.ts'
import { createPageRecorder, type PageOptions, type ScanReport } from './record-pages.ts'
import type { FailedPart, Forbidden, Source, UnreadableServer } from './source.ts'

interface ScanOptions extends PageOptions {
  readonly source: Source
  readonly locationsOf: SightingStore['locationsOf']
  /** Milliseconds for which missing servers are held. */
  readonly hold: number
  /** Servers missing since this time or earlier are confirmed as gone; 0 if none are. */
  readonly confirmedUntil: number
  /** Whether the previous scan failed. */
  readonly isAfterFailure: boolean
  /** Whether the part has not answered for so long that its servers become `unknown`. */
  readonly isSilent: (part: FailedPart) => boolean
}

export interface Scanned {
  readonly counts: SyncCounts
  /** Servers that are missing and not removed yet, as they are stored now. */
  readonly held: readonly Sighting[]
  /** Servers that exist but could not be read: the names of the first ones. */
  readonly unreadable: readonly UnreadableServer[]
  /** Servers, hosts and networks of which the source sent more than is stored, by id: the names of the first ones. */
  readonly cut: ReadonlyMap<string, string>
  readonly forbidden: readonly Forbidden[]
  readonly failed: readonly FailedPart[]
  /** How many servers are in regions that could not be read. They are not removed. */
  readonly unreadServers: number
  /** Names of servers that exist although the list of the source lacks them. */
  readonly unlisted: readonly string[]
}

/** Known servers that the scan has not reported. */
function findAbsent(
  { seen, reportedGone, present }: ScanReport,
  { known, isSuperseded }: PageOptions,
): readonly Sighting[] {
  // Usually the scan has seen all known servers.
  if (present === known.size) return []
  const absent: Sighting[] = []
  for (const id of known.keys()) {
    if (seen.has(id) || reportedGone.has(id) || isSuperseded(id)) continue
    const sighting = known.get(id)
    if (sighting) absent.push(sighting)
  }
  return absent
}

/**
 * Reads all servers from a source and records changes as the pages arrive. Only after the last page
 * do unreported servers count as missing; `decideMissing` decides what happens to them.
 */
export async function scanAccount(options: ScanOptions): Promise<Scanned> {
  const { source, recorder, known, signal, clock, hold, isAfterFailure, confirmedUntil } = options
  const pages = createPageRecorder(options)
  const { report, counts } = pages
  const { seen, unreadable, cut, forbidden, presentByRegion } = report

  await pages.record(source.scan(signal))
  const absent = findAbsent(report, options)
  const locationOf = await options.locationsOf(absent.map(({ serverId }) => serverId))
  const { failed, missing, uncertain, silent } = classifyAbsent({
    absent,
    locationOf,
    report,
    confirmedUntil,
    isSilent: options.isSilent,
  })
  for (const batch of chunk(uncertain)) counts.changed += await recorder.hold(batch)
  for (const batch of chunk(silent)) counts.changed += await recorder.holdRegion(batch)

  const holding = { now: clock(), hold, isAfterFailure }
  const { confirmations, existing } = await confirmMissing({
    source,
    missing,
    signal,
    referencesOf: recorder.referencesOf,
    isSeen: (id) => seen.has(id),
    ...holding,
  })
  const present = existing.filter((server) => 'facts' in server)
  await pages.record([
    { present, unreadable: existing.filter((server) => 'reason' in server), gone: [] },
  ])
  const { goneIds, held } = decideMissing({
    missing,
    confirmations,
    presentByRegion,
    present: report.present,
    confirmedUntil,
    ...holding,
  })
  for (const batch of chunk(unreadable)) {
    counts.changed += await recorder.recordUnreadable(batch, known)
  }
  const changed = held.filter(
    (sighting) => !isDeepStrictEqual(sighting, known.get(sighting.serverId)),
  )
  for (const batch of chunk(changed)) counts.changed += await recorder.hold(batch)
  for (const batch of chunk(goneIds)) pages.addRecorded(await recorder.record([], batch, known))
  await recorder.recordResources(pages.resources, failed.length === 0)
  return {
    counts: { ...counts },
    held,
    unreadable,
    cut,
    forbidden,
    failed,
    unreadServers: absent.length - missing.length,
    unlisted: existing.map((server) => ('facts' in server ? server.facts.name : server.name)),
  }
}
