import { isDeepStrictEqual } from 'node:util'
import type { Sighting } from '../inventory/ports.ts'
import type { SyncCounts } from './account.ts'
import type { ChangedServer, ScanRecorder } from './record-scan.ts'
import { chunk } from '../chunk.ts'
import { confirmMissing } from './confirm-missing.ts'
import { decideMissing, type MissingServer } from './missing-servers.ts'
import { coversRegion, vanishedRegion } from './failed-parts.ts'
import { IdTable } from './id-table.ts'
import { limitServer, limitText } from './limit-facts.ts'
import type { KnownSightings, SightingStore } from './ports.ts'
import type { BoundedQueue } from '../bounded-queue.ts'
import type {
  FailedPart,
  Forbidden,
  ReportedServer,
  ScanPage,
  Source,
  UnreadableServer,
} from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

interface ScanOptions {
  readonly source: Source
  readonly recorder: ScanRecorder
  /** The last report about each server. */
  readonly known: KnownSightings
  /** Limits how many chunks are written at once, over all accounts. */
  readonly writePermits: Pick<BoundedQueue, 'acquire'>
  readonly signal: AbortSignal
  /** Whether a newer report about the server arrived after the scan began. */
  readonly isSuperseded: (id: string) => boolean
  readonly onProgress: (counts: SyncCounts) => void
  readonly locationsOf: SightingStore['locationsOf']
  readonly clock: () => number
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

/**
 * Servers per commit. Each account that is being scanned has as many in memory. Among a million servers,
 * larger commits cost no less: hardly two servers of a commit share a page of an index.
 */
export const batchSize = 500
/** Or so many characters of reports, so that large servers do not fill the memory. */
const batchLength = 2 ** 23
/** How many cut or unreadable servers, hosts and networks are named. Further ones are only counted. */
export const maxCutNames = 100
/** A slow source's servers are written this often, even if a batch is not full. */
const longestWait = 1_000
/** One batch is prepared while another one is written. */
const maxWrites = 2

/**
 * Reads all servers from a source and records changes as the pages arrive. Only after the last page
 * do unreported servers count as missing; `decideMissing` decides what happens to them.
 */
export async function scanAccount(options: ScanOptions): Promise<Scanned> {
  const { source, recorder, known, signal, isSuperseded, onProgress, locationsOf, clock } = options
  const { writePermits } = options
  const seen = new IdTable()
  /** Servers that the source itself reports as gone. They are removed without a hold. */
  const reportedGone = new Set<string>()
  const counts = { seen: 0, created: 0, changed: 0, gone: 0 }
  const writes = new Set<Promise<void>>()
  const unreadable: UnreadableServer[] = []
  const cut = new Map<string, string>()
  const forbidden: Forbidden[] = []
  const presentByRegion = new Map<string, number>()
  const resources = recorder.collectResources()
  let presentCount = 0
  let regions: ReadonlySet<string> | undefined
  let areRegionsGiven = false
  const failed: FailedPart[] = []
  /** The tenants that were read; undefined if all were. */
  let tenants: ReadonlySet<string> | undefined
  let pending: ChangedServer[] = []
  let pendingLength = 0
  let writtenAt = clock()

  async function record(changed: readonly ChangedServer[], gone: readonly string[]): Promise<void> {
    const recorded = await recorder.record(changed, gone, known)
    counts.created += recorded.created
    counts.changed += recorded.changed
    counts.gone += recorded.gone
    onProgress({ ...counts })
  }

  /**
   * Errors are thrown at the next await of the scan. No further page is read until there is a
   * permit, so that a waiting scan uses little memory.
   */
  async function startWrite(
    changed: readonly ChangedServer[],
    gone: readonly string[],
  ): Promise<void> {
    if (changed.length + gone.length === 0) return
    const release = await writePermits.acquire()
    const writing = record(changed, gone).finally(release)
    const settled = writing.finally(() => writes.delete(settled))
    settled.catch(() => {})
    writes.add(settled)
    if (writes.size >= maxWrites) await Promise.race(writes)
  }

  /** Counts a reported server once. Returns its id and the last report about it. */
  function countSeen(server: ReportedServer | UnreadableServer) {
    const id = serverIdOf(server)
    const before = known.get(id)
    const isRepeated = seen.add(id) < counts.seen
    counts.seen = seen.size
    if (before && !isRepeated) {
      presentCount += 1
      const region = 'facts' in server ? (server.facts.region_ext_id ?? '') : ''
      presentByRegion.set(region, (presentByRegion.get(region) ?? 0) + 1)
    }
    return { id, before }
  }

  const noteCut = (id: string, name: string) => cut.set(id, cut.size < maxCutNames ? name : '')

  /** The reason is stored with a server that is known. Of the others, the first ones are named. */
  function limitUnreadable(
    { name, reason }: UnreadableServer,
    id: string,
    before: Sighting | undefined,
  ): UnreadableServer {
    const isNamed = unreadable.length < maxCutNames
    return {
      key: [id],
      name: isNamed ? limitText(name) || id : '',
      reason: isNamed || before ? limitText(reason) : '',
    }
  }

  async function writePending(): Promise<void> {
    const batch = pending.slice(0, batchSize)
    pending = pending.slice(batchSize)
    pendingLength = pending.reduce((sum, { size }) => sum + size, 0)
    await startWrite(batch, [])
    writtenAt = clock()
  }

  async function processPage(page: ScanPage): Promise<void> {
    const { gone, unreadable: unread = [] } = page
    if (page.regions) regions = new Set(page.regions)
    areRegionsGiven ||= page.areRegionsGiven === true
    if (page.tenants) tenants = new Set(page.tenants)
    failed.push(...(page.failed ?? []))
    if (page.forbidden) forbidden.push(page.forbidden)
    const cutResources = page.resources && resources.addReported(page.resources)
    for (const [id, name] of cutResources ?? []) noteCut(id, name)
    for (const reported of page.present) {
      const { server, isCut } = limitServer(reported)
      resources.addServer(server)
      const { id, before } = countSeen(server)
      const change = isSuperseded(id) ? undefined : recorder.findChange(id, server, before)
      if (isCut) noteCut(id, server.facts.name)
      if (!change) continue
      pending.push(change)
      pendingLength += change.size
      if (pendingLength >= batchLength) await writePending()
    }
    for (const server of unread) {
      const { id, before } = countSeen(server)
      if (!isSuperseded(id)) unreadable.push(limitUnreadable(server, id, before))
    }
    const goneIds = gone.map((key) => serverIdOf({ key })).filter((id) => !isSuperseded(id))
    for (const id of goneIds) reportedGone.add(id)
    await startWrite([], goneIds)
    while (pending.length >= batchSize || clock() - writtenAt >= longestWait) {
      await writePending()
    }
    onProgress({ ...counts })
  }

  /** Records pages as they arrive. Afterwards nothing is being written. */
  async function recordPages(pages: AsyncIterable<ScanPage> | Iterable<ScanPage>): Promise<void> {
    try {
      for await (const page of pages) await processPage(page)
      signal.throwIfAborted()
      await startWrite(pending, [])
      pending = []
      await Promise.all(writes)
    } finally {
      await Promise.allSettled(writes)
    }
  }

  await recordPages(source.scan(signal))
  const absent: Sighting[] = []
  // Usually the scan has seen all known servers.
  for (const id of presentCount === known.size ? [] : known.keys()) {
    if (seen.has(id) || reportedGone.has(id) || isSuperseded(id)) continue
    const sighting = known.get(id)
    if (sighting) absent.push(sighting)
  }
  const locationOf = await locationsOf(absent.map(({ serverId }) => serverId))
  const isOther = (region: string) => region !== '' && regions?.has(region) === false
  const locations = absent.map((sighting) => {
    const { region = '', tenant = '' } = locationOf.get(sighting.serverId) ?? {}
    return { sighting, region, tenant }
  })
  if (!areRegionsGiven) {
    const vanished = new Set(locations.map(({ region }) => region).filter(isOther))
    failed.push(...[...vanished].sort().map(vanishedRegion))
  }
  const unread = failed.filter(({ hasServers }) => hasServers !== true)
  const missing: MissingServer[] = []
  /** Servers that an earlier scan has missed, and that may exist in a part that this one could not read. */
  const uncertain: Sighting[] = []
  const silent: Sighting[] = []
  for (const { sighting, region, tenant } of locations) {
    const isUnread = tenants?.has(tenant) === false
    const parts = unread.filter(
      (part) =>
        coversRegion(part, region) &&
        // The token of a tenant that failed may be the one that reads others, too.
        (part.tenant === undefined || isUnread || part.tenant === tenant),
    )
    if (parts.length === 0) {
      missing.push({ sighting, region, isUnread: isUnread || isOther(region) })
      continue
    }
    // The warning will not list this server, so a later confirmation must not include it.
    const missingSince = sighting.missingSince <= options.confirmedUntil ? sighting.missingSince : 0
    const unseen = { ...sighting, missed: 0, missingSince }
    if (sighting.missed > 0) uncertain.push(unseen)
    if (parts.some(options.isSilent)) silent.push(unseen)
  }
  for (const batch of chunk(uncertain)) counts.changed += await recorder.hold(batch)
  for (const batch of chunk(silent)) counts.changed += await recorder.holdRegion(batch)

  const { hold, isAfterFailure } = options
  const holding = { now: clock(), hold, isAfterFailure }
  const { referencesOf } = recorder
  const { confirmations, existing } = await confirmMissing({
    source,
    missing,
    signal,
    referencesOf,
    isSeen: (id) => seen.has(id),
    ...holding,
  })
  const present = existing.filter((server) => 'facts' in server)
  await recordPages([
    { present, unreadable: existing.filter((server) => 'reason' in server), gone: [] },
  ])
  const { goneIds, held } = decideMissing({
    missing,
    confirmations,
    presentByRegion,
    present: presentCount,
    confirmedUntil: options.confirmedUntil,
    ...holding,
  })
  for (const batch of chunk(unreadable)) {
    counts.changed += await recorder.recordUnreadable(batch, known)
  }
  const changed = held.filter(
    (sighting) => !isDeepStrictEqual(sighting, known.get(sighting.serverId)),
  )
  for (const batch of chunk(changed)) counts.changed += await recorder.hold(batch)
  for (const batch of chunk(goneIds)) await record([], batch)
  await recorder.recordResources(resources, failed.length === 0)
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
