import { maxGroupValues, type ServerStatistics } from '@muster/contract'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../identity/caller.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import type { ServerFinder, Statistics, Sum } from './ports.ts'
import { requesterOf } from './requester-of.ts'
import type { StatisticsQuery } from './server-query.ts'
import { findVisibility, requireStateAccess } from './visibility.ts'

interface CachedAnswer {
  readonly serversVersion: number
  readonly identity: number
  readonly body: string
}

interface Dependencies {
  readonly finder: ServerFinder
  readonly identityVersion: IdentityVersion
}

const maxCachedAnswers = 500

/** What the first values leave over of the whole. */
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
export function createCountServers({ finder, identityVersion }: Dependencies) {
  const answers = new LRUCache<string, CachedAnswer>({ max: maxCachedAnswers })

  return async function countServers(caller: Caller, query: StatisticsQuery): Promise<string> {
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, query.scope)
    requireStateAccess(query.view, visibility)
    const { scope } = visibility
    const [serversVersion, identity] = [finder.version(scope), identityVersion.current()]
    const key = JSON.stringify([scope, query])
    const cached = answers.get(key)
    if (cached && cached.serversVersion === serversVersion && cached.identity === identity)
      return cached.body
    const body = JSON.stringify(
      shorten(await finder.count({ ...query, scope, requester: requesterOf(caller) })),
    )
    if (serversVersion !== undefined && identity !== undefined)
      answers.set(key, { serversVersion, identity, body })
    return body
  }
}
export type CountServers = ReturnType<typeof createCountServers>
