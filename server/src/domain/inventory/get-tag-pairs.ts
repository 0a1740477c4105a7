import { defaultPageSize, maxPageSize, type TagPairs, type TagPairsQuery } from '@muster/contract'
import type { Caller } from '../identity/caller.ts'
import type { TagOrigin } from './metadata.ts'
import { requesterOf, type ServerFinder } from './ports.ts'
import { findVisibility } from './server-list/visibility.ts'

const flags = { own: 'user_meta', source: 'cloud_meta', notes: 'sys_meta' } as const

/** Counts the tags of the servers in a scope. */
export const createGetTagPairs = (finder: ServerFinder) =>
  async function getTagPairs(caller: Caller, query: TagPairsQuery): Promise<TagPairs> {
    const { principal, authorizedScope } = caller
    const { scope } = findVisibility(principal, authorizedScope.scope, query.scope)
    const all = Object.keys(flags) as TagOrigin[]
    const chosen = all.filter((origin) => query[flags[origin]] === true)
    const limit = Math.min(query.limit ?? defaultPageSize, maxPageSize)
    const { offset = 0 } = query
    const { items, total } = await finder.countTags({
      scope,
      origins: chosen.length === 0 ? all : chosen,
      isKeyOnly: query.key_only === true,
      limit,
      offset,
      requester: requesterOf(caller),
    })
    return { server: { data: [...items], total, limit, offset } }
  }
export type GetTagPairs = ReturnType<typeof createGetTagPairs>
