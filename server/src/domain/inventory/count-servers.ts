import { maxGroupValues, type ServerStatistics } from '@muster/contract'
import { createCache, type CacheMemory } from '../cache.ts'
import type { Caller } from '../identity/caller.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import type { ScopeOrNone } from '../scope.ts'
import { requesterOf, type ServerFinder, type Statistics, type Sum } from './ports.ts'
import type { StatisticsQuery } from './server-list/server-query.ts'
import { findVisibility, requireStateAccess } from './server-list/visibility.ts'

/** Statistics as JSON, and whether they are still valid; absent if they are not cached. */
interface StatisticsBody {
  readonly body: readonly Buffer[]
  readonly isFresh?: () => boolean
}

interface Dependencies {
  readonly finder: ServerFinder
  readonly identityVersion: IdentityVersion
  readonly memory: CacheMemory
}

/** The total minus the listed values. */
function rest(total: Sum, told: readonly Sum[]): Sum {
  const left = (key: keyof Sum) => total[key] - told.reduce((sum, group) => sum + group[key], 0)
  return {
    count: left('count'),
    vcpu_count: left('vcpu_count'),
    vmem_size: left('vmem_size'),
    disk: left('disk'),
  }
}

type Group = ServerStatistics['groups'][string][number]

function shorten({ total, groups }: Statistics): ServerStatistics {
  const short = Object.entries(groups).map(([name, values]): [string, Group[]] => {
    const told = values.slice(0, maxGroupValues)
    const others = values.length > told.length ? [{ value: 'other', ...rest(total, told) }] : []
    return [name, [...told, ...others]]
  })
  return { total, groups: Object.fromEntries(short) }
}

/** Counts servers by group. Results are cached like pages. */
export function createCountServers({ finder, identityVersion, memory }: Dependencies) {
  const results = createCache<string, string, StatisticsBody>(
    memory,
    'statistics',
    ({ body }) => body[0]?.length ?? 0,
  )

  function versionOf(scope: ScopeOrNone): string | undefined {
    const [servers, identity] = [finder.version(scope), identityVersion.current()]
    return servers === undefined || identity === undefined ? undefined : `${servers} ${identity}`
  }

  return async function countServers(
    caller: Caller,
    query: StatisticsQuery,
  ): Promise<StatisticsBody> {
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, query.scope)
    requireStateAccess(query.state, visibility)
    const { scope } = visibility
    const version = versionOf(scope)
    const key = JSON.stringify([scope, query])
    const cached = results.get(key, version)
    if (cached) return cached
    const counted = await finder.count({ ...query, scope, requester: requesterOf(caller) })
    const body = [Buffer.from(JSON.stringify(shorten(counted)))]
    if (version === undefined) return { body }
    const result = { body, isFresh: () => versionOf(scope) === version }
    results.set(key, version, result)
    return result
  }
}
export type CountServers = ReturnType<typeof createCountServers>
