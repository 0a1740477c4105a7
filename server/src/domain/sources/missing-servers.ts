import type { Sighting } from '../inventory/ports.ts'
import { shortestScanInterval } from './backoff.ts'

/** A held server is removed only after this many consecutive complete scans have missed it. */
const scansUntilGone = 3
/** Fewer missing servers count as normal deletions, unless the account has no others. */
const fewestHeld = 3

export interface MissingServer {
  readonly sighting: Sighting
  readonly region: string
  /** The source did not read the server's tenant, such as after the loss of a role. */
  readonly isUnread: boolean
}

interface Missing {
  readonly missing: readonly MissingServer[]
  /** How many known servers the scan has seen, by region. */
  readonly presentByRegion: ReadonlyMap<string, number>
  /** How many known servers the scan has seen in all. */
  readonly present: number
  readonly clock: () => number
  /** Milliseconds for which held servers are kept. */
  readonly hold: number
  /** The previous scan failed, so the count of consecutive scans starts again. */
  readonly isAfterFailure: boolean
}

export interface Decision {
  readonly goneIds: readonly string[]
  readonly held: readonly Sighting[]
}

/** Without a digest, the next scan that sees the server writes it again. */
const notSeen = { digest: '', activeName: '', activeHost: '' }

/** The sighting of a server that is missing but not removed. */
export const holdMissing = (
  sighting: Sighting,
  missed: number,
  missingSince: number,
): Sighting => ({ ...sighting, ...notSeen, missed, missingSince })

const isMostOf = (missing: number, present: number) => missing >= fewestHeld && missing > present

/**
 * Decides whether servers that a complete scan has missed are removed or held. If most servers of
 * an account or a region are missing at once, the source is probably wrong; if their tenant was not
 * read, nothing is known of them. They are held until enough consecutive scans have missed them and
 * the hold time is over.
 */
export function decideMissing(scan: Missing): Decision {
  const { missing, presentByRegion, present, clock, hold, isAfterFailure } = scan
  const now = clock()
  const missingByRegion = new Map<string, number>()
  for (const { region } of missing) {
    missingByRegion.set(region, (missingByRegion.get(region) ?? 0) + 1)
  }
  const isMass = present === 0 || isMostOf(missing.length, present)
  const isHeld = ({ sighting, region, isUnread }: MissingServer) =>
    sighting.missed > 0 ||
    isUnread ||
    isMass ||
    isMostOf(missingByRegion.get(region) ?? 0, presentByRegion.get(region) ?? 0)

  const goneIds: string[] = []
  const held: Sighting[] = []
  for (const server of missing) {
    const { sighting } = server
    const isFirst = sighting.missed === 0 || isAfterFailure
    // Counting further would only cause writes.
    const missed = isFirst ? 1 : Math.min(sighting.missed + 1, scansUntilGone)
    const missingSince = isFirst ? now : sighting.missingSince
    const isOver = missed >= scansUntilGone && now >= missingSince + hold
    if (!isHeld(server) || isOver) goneIds.push(sighting.serverId)
    else held.push(holdMissing(sighting, missed, missingSince))
  }
  return { goneIds, held }
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

/** When the first hold ends of servers that enough scans have missed; Infinity if there is none. */
export const nextRemoval = (held: readonly Sighting[], hold: number): number =>
  held.reduce(
    (earliest, { missed, missingSince }) =>
      missed >= scansUntilGone ? Math.min(earliest, missingSince + hold) : earliest,
    Infinity,
  )
