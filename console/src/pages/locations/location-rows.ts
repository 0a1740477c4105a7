import type { Group } from '../../api/queries/statistics.ts'
import { rankTop } from '../../charts/rank.ts'
import { regionKey, type RegionName } from './open-regions.ts'
import { holds, providerQ, regionQ, zoneQ } from './location-filters.ts'

type Level = 'provider' | 'region' | 'zone'

/** Loaded groups, or their loading state. */
export type Loaded = readonly Group[] | 'pending' | 'failed'

export interface LocationRow {
  readonly kind: 'location'
  readonly level: Level
  readonly key: string
  /** Empty if the servers have no value. */
  readonly name: string
  /** The sum of the values that the API does not list. */
  readonly isRest: boolean
  readonly group: Group
  readonly q: string | undefined
  /** Only for regions. */
  readonly region?: RegionName
  readonly isOpen?: boolean
}

export interface WaitingRow {
  readonly kind: 'pending' | 'failed'
  readonly level: Level
  readonly key: string
}

interface Locations {
  readonly providers: readonly Group[]
  readonly regionsOf: (provider: string) => Loaded
  readonly zonesOf: (region: RegionName) => Loaded
  readonly open: ReadonlySet<string>
  readonly find: string
  /** The display name of a provider. */
  readonly providerName: (provider: string) => string
  /** Regions with a zone that matches the search. */
  readonly regionsFound: ReadonlySet<string>
}

const nameOf = ({ value }: Group) => String(value ?? '')

/** Adds the name to each group, and marks the rest. */
function named(groups: readonly Group[]) {
  const { rest } = rankTop('', groups, groups.length)
  return groups.map((group, at) => {
    const isRest = rest !== undefined && at === groups.length - 1
    return { group, isRest, name: isRest ? '' : nameOf(group) }
  })
}

/** Whether a region is expanded: by the user, or because a zone matches the search. */
export const isOpened = (
  { open, find, regionsFound }: Pick<Locations, 'open' | 'find' | 'regionsFound'>,
  name: RegionName,
): boolean => open.has(regionKey(name)) || (find !== '' && regionsFound.has(name.region))

function zoneRows(
  locations: Locations,
  region: RegionName,
  isFound: boolean,
): (LocationRow | WaitingRow)[] {
  const key = regionKey(region)
  const zones = locations.zonesOf(region)
  if (typeof zones === 'string') return [{ kind: zones, level: 'zone', key: `${key}/…` }]
  return named(zones)
    .filter(({ name, isRest }) => isFound || (!isRest && holds(name, locations.find)))
    .map(({ group, name, isRest }) => ({
      kind: 'location',
      level: 'zone',
      key: `${key}/${isRest ? '…' : encodeURIComponent(name)}`,
      name,
      isRest,
      group,
      q: isRest ? undefined : zoneQ(region, name),
    }))
}

function regionRows(
  locations: Locations,
  provider: string,
  isFound: boolean,
): (LocationRow | WaitingRow)[] {
  const regions = locations.regionsOf(provider)
  const key = encodeURIComponent(provider)
  if (typeof regions === 'string') return [{ kind: regions, level: 'region', key: `${key}/…` }]
  return named(regions).flatMap(({ group, name, isRest }) => {
    const region = { provider, region: name }
    const isItsName = isFound || (!isRest && holds(name, locations.find))
    const isOpen = !isRest && isOpened(locations, region)
    const zones = isOpen ? zoneRows(locations, region, isItsName) : []
    // The matching zone may be in a region of the same name of another provider.
    if (!isItsName && zones.length === 0) return []
    const row: LocationRow = {
      kind: 'location',
      level: 'region',
      key: isRest ? `${key}/…` : regionKey(region),
      name,
      isRest,
      group,
      q: isRest ? undefined : regionQ(region),
      ...(!isRest && { region, isOpen }),
    }
    return [row, ...zones]
  })
}

/** The table rows: providers, their regions, and the zones of expanded regions. */
export function locationRows(locations: Locations): (LocationRow | WaitingRow)[] {
  return named(locations.providers).flatMap(({ group, name, isRest }) => {
    const isNamed =
      holds(name, locations.find) || holds(locations.providerName(name), locations.find)
    const isFound = locations.find === '' || (!isRest && isNamed)
    const regions = isRest ? [] : regionRows(locations, name, isFound)
    if (!isFound && regions.length === 0) return []
    const row: LocationRow = {
      kind: 'location',
      level: 'provider',
      key: isRest ? '…' : encodeURIComponent(name),
      name,
      isRest,
      group,
      q: isRest ? undefined : providerQ(name),
    }
    return [row, ...regions]
  })
}
