import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ServerStatistics } from '@muster/contract'
import { statisticsQuery } from '../../api/queries/statistics.ts'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { isOpened, locationRows, type Loaded } from './location-rows.ts'
import { regionKey, type RegionName } from './open-regions.ts'
import { providerQ, regionQ, zonesNamed } from './location-filters.ts'

function loaded(query: UseQueryResult<ServerStatistics> | undefined, field: string): Loaded {
  if (query?.data) return query.data.groups[field] ?? []
  return query?.isError ? 'failed' : 'pending'
}

const valuesOf = (groups: Loaded) =>
  typeof groups === 'string' ? [] : groups.map(({ value }) => String(value ?? ''))

/** Loads providers and regions, and zones on demand, and builds the table rows. */
export function useLocations(open: ReadonlySet<string>, find: string) {
  const names = useValueNames()
  const asOf = useAsOf()
  const whole = useQuery(statisticsQuery({ groupBy: ['provider'], asOf }))
  const groups = whole.data?.groups['provider'] ?? []
  const providers = valuesOf(groups)
  const regions = useQueries({
    queries: providers.map((provider) =>
      statisticsQuery({ groupBy: ['region'], q: providerQ(provider), asOf }),
    ),
  })
  const found = useQuery({
    ...statisticsQuery({ groupBy: ['region'], filter: zonesNamed(find), asOf }),
    enabled: find !== '',
  })
  const regionsFound = new Set(find === '' ? [] : valuesOf(loaded(found, 'region')))
  const regionsOf = (provider: string) => loaded(regions[providers.indexOf(provider)], 'region')

  const opened: RegionName[] = providers.flatMap((provider) =>
    valuesOf(regionsOf(provider))
      .map((region) => ({ provider, region }))
      .filter((name) => isOpened({ open, find, regionsFound }, name)),
  )
  const openedKeys = opened.map(regionKey)
  const zones = useQueries({
    queries: opened.map((name) => statisticsQuery({ groupBy: ['zone'], q: regionQ(name), asOf })),
  })
  const zonesOf = (name: RegionName) => loaded(zones[openedKeys.indexOf(regionKey(name))], 'zone')

  const retry = () => {
    for (const query of [found, ...regions, ...zones]) if (query.isError) void query.refetch()
  }
  const rows = locationRows({
    providers: groups,
    providerName: (provider) => names.name('provider', provider),
    regionsOf,
    zonesOf,
    open,
    find,
    regionsFound,
  })
  const isFinding = find !== '' && found.isFetching
  return {
    whole,
    /** The matching rows as a query. Regions also match by the names of their zones. */
    found: {
      data: rows,
      error: find === '' ? null : found.error,
      failureReason: find === '' ? null : found.failureReason,
      isFetching: isFinding || regions.some((query) => query.isFetching),
      isPlaceholderData: isFinding && found.data === undefined,
      isFetchedAfterMount: !regions.some((query) => query.isPending),
      refetch: retry,
    },
    regions: providers.reduce((sum, provider) => sum + valuesOf(regionsOf(provider)).length, 0),
    retry,
  }
}
