import { maxGroupValues, type ScopeParameter, type Server } from '@muster/contract'
import { chunk } from '../../chunk.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../../identity/caller.ts'
import { allOf, oneOf } from '../../query/conditions.ts'
import { includes } from '../../scope.ts'
import { requesterOf, type ServerFinder, type ServerParts } from '../ports.ts'
import { findVisibility } from '../server-list/visibility.ts'
import { concerns, containsMoment, type Gap, type GapStore } from './gaps.ts'

/** What a request is about: servers in a scope, or one server. */
export interface AskedServers {
  readonly scope: ScopeParameter | undefined
  /** An id or a name. */
  readonly server?: string
}

interface Dependencies {
  readonly gaps: Pick<GapStore, 'between'>
  readonly clock: Clock
}

/** The accounts of visible servers at a moment, which does not change, by what was asked. */
export type KnownAccounts = Map<string, Promise<ReadonlySet<string>>>

/** `body` has no closing brace. */
const regionOf = ({ body }: ServerParts): string =>
  (JSON.parse(`${body.toString()}}`) as Server).region_ext_id

/** The gaps at a moment of the past, of accounts of which the caller sees servers at that moment. */
export function createGapsAt({ gaps, clock }: Dependencies) {
  /** The gaps at a time, of which `filter` leaves those that the caller may know of. */
  async function findAt(
    caller: Caller,
    time: number,
    filter: (candidates: readonly Gap[]) => Promise<readonly Gap[]>,
  ): Promise<readonly Gap[]> {
    const times = { from: time, until: time, now: clock() }
    const found = await gaps.between(times, requesterOf(caller))
    const candidates = found.filter((gap) => containsMoment(gap, time))
    return candidates.length === 0 ? [] : await filter(candidates)
  }

  return {
    /** Of the account and the region of one server. */
    ofServer: async (caller: Caller, time: number, findServer: () => Promise<ServerParts>) =>
      await findAt(caller, time, async (candidates) => {
        const parts = await findServer()
        return candidates.filter((gap) => concerns(gap, parts.accountId, regionOf(parts)))
      }),

    /** Of the accounts, and the regions of accounts, that have a visible server. */
    async ofServers(
      caller: Caller,
      time: number,
      asked: ScopeParameter | undefined,
      finder: Pick<ServerFinder, 'count'>,
      known: KnownAccounts = new Map(),
    ): Promise<readonly Gap[]> {
      const { principal, authorizedScope } = caller
      const { scope, deletes } = findVisibility(principal, authorizedScope.scope, asked)

      async function countAccounts(ids: readonly string[], region: string) {
        const inRegion = region === '' ? [] : [oneOf('region_ext_id' as const, [region])]
        const { groups } = await finder.count({
          scope,
          state: includes(deletes, scope) ? 'live-and-recycled' : 'live',
          where: allOf([oneOf('account_id' as const, ids), ...inRegion]),
          groups: [{ name: 'account_id', field: 'account_id' }],
          requester: requesterOf(caller),
        })
        const seen = (groups['account_id'] ?? []).filter(({ count }) => count > 0)
        return new Set(seen.map(({ value }) => String(value)))
      }

      async function visibleAccounts(ids: readonly string[], region: string) {
        const key = JSON.stringify([scope, includes(deletes, scope), region, ids])
        const counted = known.get(key) ?? countAccounts(ids, region)
        known.set(key, counted)
        try {
          return await counted
        } catch (error) {
          known.delete(key)
          throw error
        }
      }

      return await findAt(caller, time, async (candidates) => {
        const visible: Gap[] = []
        for (const [region, ofRegion] of Map.groupBy(candidates, (gap) => gap.region)) {
          for (const some of chunk(ofRegion, maxGroupValues)) {
            const ids = some.map(({ accountId }) => accountId)
            const seen = await visibleAccounts(ids, region)
            visible.push(...some.filter(({ accountId }) => seen.has(accountId)))
          }
        }
        return visible
      })
    },
  }
}
