import type { Sighting } from '../inventory/ports.ts'
import { shortestScanInterval } from './backoff.ts'

/** A held server is removed only after this many consecutive complete scans have missed it. */
const scansUntilGone = 3

export interface MissingServer {
  readonly sighting: Sighting
  readonly region: string
  /** Its tenant was not read, such as after the loss of a role, or the account no longer lists its region. */
  readonly isUnread: boolean
}

/** What a source says about a missing server. */
export type Confirmation = 'gone' | 'exists'

export interface Holding {
  readonly now: number
  /** Milliseconds for which held servers are kept. */
  readonly hold: number
  /** The previous scan failed, so the count of consecutive scans starts again. */
  readonly isAfterFailure: boolean
}

interface Missing extends Holding {
  readonly missing: readonly MissingServer[]
  /** By server id. Servers that could not be read, or about which the source cannot decide, have no entry. */
  readonly confirmations: ReadonlyMap<string, Confirmation>
  /** How many known servers the source has, by region. */
  readonly presentByRegion: ReadonlyMap<string, number>
  /** How many known servers the source has in all. */
  readonly present: number
  /** Servers missing since this time or earlier are confirmed as gone by an administrator; 0 if none are. */
  readonly confirmedUntil: number
}

interface Decision {
  readonly goneIds: readonly string[]
  readonly held: readonly Sighting[]
}

/** Without a digest, the next scan that sees the server writes it again. */
const notSeen = { digest: '', activeName: '', activeHost: '' }

/** The sighting of a server that is held once more. */
function holdAgain(
  { sighting }: MissingServer,
  { now, isAfterFailure }: Omit<Holding, 'hold'>,
): Sighting {
  const isFirst = sighting.missed === 0 || isAfterFailure
  return {
    ...sighting,
    ...notSeen,
    // A higher count would only cause writes.
    missed: isFirst ? 1 : Math.min(sighting.missed + 1, scansUntilGone),
    missingSince: isFirst ? now : sighting.missingSince,
  }
}

function isHoldOver(server: MissingServer, holding: Holding): boolean {
  const { missed, missingSince } = holdAgain(server, holding)
  return missed >= scansUntilGone && holding.now >= missingSince + holding.hold
}

/**
 * The missing servers that are read. If there are too many, only those that would be removed now are read,
 * the longest missing first.
 */
export function selectReads(
  missing: readonly MissingServer[],
  maxReads: number,
  holding: Holding,
): readonly MissingServer[] {
  const readable = missing.filter(({ isUnread }) => !isUnread)
  if (readable.length <= maxReads) return readable
  return readable
    .filter((server) => isHoldOver(server, holding))
    .toSorted((one, other) => one.sighting.missingSince - other.sighting.missingSince)
    .slice(0, maxReads)
}

const countByRegion = (servers: readonly MissingServer[]): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(servers, ({ region }) => region)].map(([region, { length }]) => [
      region,
      length,
    ]),
  )

/**
 * Decides whether servers that a complete scan has missed are removed or held. One that the source denies is
 * removed, unless more than half of its account or region is missing: then the source is probably wrong. The
 * others are held until enough consecutive scans have missed them and the hold time is over. A server that
 * exists is not removed. It shows that the list of its region is incomplete, so only denied servers are
 * removed there.
 */
export function decideMissing(scan: Missing): Decision {
  const { confirmations, presentByRegion, present, confirmedUntil } = scan
  const exists = ({ sighting }: MissingServer) => confirmations.get(sighting.serverId) === 'exists'
  const missing = scan.missing.filter((server) => !exists(server))
  const incomplete = new Set(scan.missing.filter(exists).map(({ region }) => region))
  const missingByRegion = countByRegion(missing)
  const isMostOfRegion = (region: string) =>
    (missingByRegion.get(region) ?? 0) > (presentByRegion.get(region) ?? 0)

  function isGone(server: MissingServer): boolean {
    const { sighting, region } = server
    // Also if its region could not be read since.
    if (sighting.missingSince > 0 && sighting.missingSince <= confirmedUntil) return true
    const isDenied = confirmations.get(sighting.serverId) === 'gone'
    if (isHoldOver(server, scan)) return isDenied || !incomplete.has(region)
    return isDenied && missing.length <= present && !isMostOfRegion(region)
  }

  const [gone, held] = [missing.filter(isGone), missing.filter((server) => !isGone(server))]
  return {
    goneIds: gone.map(({ sighting }) => sighting.serverId),
    held: held.map((server) => holdAgain(server, scan)),
  }
}

/** The earliest time at which a held server can be removed. */
export const removalTime = (
  { missed, missingSince }: Sighting,
  { now, hold, period }: { readonly now: number; readonly hold: number; readonly period: number },
): number =>
  Math.max(
    missingSince + hold,
    now + Math.max(0, scansUntilGone - missed) * shortestScanInterval(period),
  )

/**
 * When the next hold ends, among servers that enough scans have missed; Infinity if there is none. A hold
 * that ended without a removal is tried again by the regular scans.
 */
export const nextRemoval = (
  held: readonly Sighting[],
  { now, hold }: Omit<Holding, 'isAfterFailure'>,
): number =>
  held.reduce(
    (earliest, { missed, missingSince }) =>
      missed >= scansUntilGone && missingSince + hold > now
        ? Math.min(earliest, missingSince + hold)
        : earliest,
    Infinity,
  )
