import type { Sighting } from '../inventory/ports.ts'
import { coversRegion, vanishedRegion } from './failed-parts.ts'
import type { MissingServer } from './missing-servers.ts'
import type { SightingStore } from './ports.ts'
import type { ScanReport } from './record-pages.ts'
import type { FailedPart } from './source.ts'

interface Absence {
  /** Known servers that the scan has not reported. */
  readonly absent: readonly Sighting[]
  readonly locationOf: Awaited<ReturnType<SightingStore['locationsOf']>>
  readonly report: Pick<ScanReport, 'regions' | 'areRegionsGiven' | 'tenants' | 'failed'>
  /** Servers missing since this time or earlier are confirmed as gone; 0 if none are. */
  readonly confirmedUntil: number
  /** Whether the part has not answered for so long that its servers become `unknown`. */
  readonly isSilent: (part: FailedPart) => boolean
}

interface Classified {
  /** Parts that could not be read, with the regions that the source no longer lists. */
  readonly failed: readonly FailedPart[]
  readonly missing: readonly MissingServer[]
  /** Servers that an earlier scan has missed, and that may exist in a part that this one could not read. */
  readonly uncertain: readonly Sighting[]
  /** Servers in parts that have not answered for long. */
  readonly silent: readonly Sighting[]
}

/** Tells servers that are missing from those in a part of the source that could not be read. */
export function classifyAbsent(absence: Absence): Classified {
  const { absent, locationOf, report, confirmedUntil, isSilent } = absence
  const { regions, tenants } = report
  const isOther = (region: string) => region !== '' && regions?.has(region) === false
  const locations = absent.map((sighting) => {
    const { region = '', tenant = '' } = locationOf.get(sighting.serverId) ?? {}
    return { sighting, region, tenant }
  })
  const vanished = report.areRegionsGiven
    ? []
    : [...new Set(locations.map(({ region }) => region).filter(isOther))].sort()
  const failed = [...report.failed, ...vanished.map(vanishedRegion)]
  const unread = failed.filter(({ hasServers }) => hasServers !== true)
  const missing: MissingServer[] = []
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
    const missingSince = sighting.missingSince <= confirmedUntil ? sighting.missingSince : 0
    const unseen = { ...sighting, missed: 0, missingSince }
    if (sighting.missed > 0) uncertain.push(unseen)
    if (parts.some(isSilent)) silent.push(unseen)
  }
  return { failed, missing, uncertain, silent }
}
