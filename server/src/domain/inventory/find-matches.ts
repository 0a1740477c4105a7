import { maxBatchSize, type ScopeParameter } from '@muster/contract'
import { chunk } from '../chunk.ts'
import { badField } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { allOf, oneOf } from '../query/conditions.ts'
import { conflicted } from '../retry-on-conflict.ts'
import { pageQueryOf } from './server-list/list-servers.ts'
import { requesterOf, type ServerFinder } from './ports.ts'
import { readServerQuery } from './server-list/read-server-query.ts'
import { findVisibility } from './server-list/visibility.ts'

interface MatchRequest {
  readonly q: string
  /** Where an error says that too many match. */
  readonly path: string
  readonly scope?: ScopeParameter | undefined
  /** Only these servers. */
  readonly among?: readonly string[]
}

/** Finds the servers of a request that acts on many of them. */
export function createFindMatches(finder: Pick<ServerFinder, 'find' | 'load'>) {
  return async function findMatches(caller: Caller, request: MatchRequest): Promise<string[]> {
    const { q, path, scope, among } = request
    const query = readServerQuery({ q, limit: maxBatchSize })
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, scope)
    const page = { ...pageQueryOf(query, visibility, requesterOf(caller)), ignoresCache: true }
    const pages = among
      ? [...chunk(among)].map((ids) => ({ ...page, where: allOf([oneOf('id', ids), page.where]) }))
      : [page]
    const matches: string[] = []
    let count = 0
    for (const one of pages) {
      const { total, found } = await finder.find(one)
      count += total
      if (count > maxBatchSize) continue
      const loaded = await finder.load(found)
      if (!loaded) throw conflicted('The list of servers')
      for (const { id } of loaded) matches.push(id)
    }
    if (count > maxBatchSize) {
      throw badField(
        path,
        `has ${count} servers; at most ${maxBatchSize} are allowed. Use a narrower query.`,
      )
    }
    return matches
  }
}
