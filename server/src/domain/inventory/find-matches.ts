import { maxBatchSize } from '@muster/contract'
import { badField } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ScopeParameter } from '../query/list-query.ts'
import { conflicted } from '../retry-on-conflict.ts'
import { pageQueryOf } from './list-servers.ts'
import { requesterOf, type ServerFinder } from './ports.ts'
import { readServerQuery } from './read-server-query.ts'
import { findVisibility } from './visibility.ts'

/** Finds the servers of a request that acts on many of them. */
export const createFindMatches =
  (finder: Pick<ServerFinder, 'find' | 'load'>) =>
  async (caller: Caller, q: string, path: string, scope?: ScopeParameter): Promise<string[]> => {
    const query = readServerQuery({ q, limit: maxBatchSize })
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, scope)
    const page = { ...pageQueryOf(query, visibility, requesterOf(caller)), ignoresCache: true }
    const { total, found } = await finder.find(page)
    if (total > maxBatchSize) {
      throw badField(
        path,
        `has ${total} servers; at most ${maxBatchSize} are allowed. Use a narrower query.`,
      )
    }
    const loaded = await finder.load(found)
    if (!loaded) throw conflicted('The list of servers')
    return loaded.map(({ id }) => id)
  }
