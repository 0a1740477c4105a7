import type { Need } from '@muster/contract'
import { LRUCache } from 'lru-cache'
import { badField, PlatformError } from '../error.ts'
import type { Principal } from '../identity/principal.ts'
import { findReach, type Extent } from '../identity/reach.ts'
import type { WantedScope } from './server-query.ts'

type Level = Need['at'][number]

const everyLevel: readonly Level[] = ['system', 'domain', 'project']

const right = (action: Need['action'], at = everyLevel): Need => ({
  service: 'compute',
  resource: 'servers',
  action,
  at,
})

/**
 * What a caller sees of the fleet, and what of it is theirs to change. It is made from rows and the
 * token; a request can only ask for less.
 */
export interface Sight {
  readonly extent: Extent
  /** Where the caller may tag servers. */
  readonly updates: Extent
  /** Where the caller may look at what was deleted, and into the recycle bin. */
  readonly deletes: Extent
  /** Where the caller sees what an operator forces upon servers. */
  readonly administers: Extent
  /** Callers with the same key see the same bytes. */
  readonly key: string
}

const rights = new WeakMap<Principal, Omit<Sight, 'extent' | 'key'>>()

function rightsOf(principal: Principal): Omit<Sight, 'extent' | 'key'> {
  let known = rights.get(principal)
  if (!known) {
    const reach = (need: Need) => findReach(principal, need).extent
    known = {
      updates: reach(right('update')),
      deletes: reach(right('delete')),
      administers: reach(right('get', ['system', 'domain'])),
    }
    rights.set(principal, known)
  }
  return known
}

const notSoFar = (wanted: WantedScope) =>
  new PlatformError('ForbiddenError', `Your roles do not reach as far as scope=${wanted}.`)

/** The scope of the token itself. */
function ownExtent({ scope }: Principal, widest: Extent): Extent {
  switch (scope.kind) {
    case 'project':
      return { kind: 'project', projectId: scope.project.id, domainId: scope.project.domain.id }
    case 'domain':
      return { kind: 'domain', domainId: scope.domain.id }
    case 'none':
      return widest
  }
}

function domainExtent(principal: Principal, widest: Extent): Extent {
  const own = ownExtent(principal, widest)
  if (own.kind === 'domain') return own
  if (own.kind === 'project' && widest.kind === 'system') {
    return { kind: 'domain', domainId: own.domainId }
  }
  throw notSoFar('domain')
}

function chooseExtent(
  principal: Principal,
  widest: Extent,
  wanted: WantedScope | undefined,
): Extent {
  switch (wanted) {
    case undefined:
      return ownExtent(principal, widest)
    case 'max':
      return widest
    case 'system':
      if (widest.kind !== 'system') throw notSoFar('system')
      return widest
    case 'domain':
      return domainExtent(principal, widest)
    case 'project': {
      const own = ownExtent(principal, widest)
      if (own.kind !== 'project')
        throw badField('scope', 'is project, but your token is for a domain')
      return own
    }
  }
}

const shortKeys = new LRUCache<string, string>({ max: 100_000 })
let madeKeys = 0

/** A few characters in the place of many: pages are looked up by it at each request. */
function shortKey(text: string): string {
  const known = shortKeys.get(text) ?? `s${(madeKeys += 1)} `
  shortKeys.set(text, known)
  return known
}

const sights = new WeakMap<Principal, Map<string, Sight>>()

/** What the caller sees when asking for a scope, within the reach that the operation found. */
export function findSight(
  principal: Principal,
  widest: Extent,
  wanted: WantedScope | undefined,
): Sight {
  const known = sights.get(principal) ?? new Map<string, Sight>()
  sights.set(principal, known)
  const name = `${widest.kind} ${wanted ?? ''}`
  let sight = known.get(name)
  if (!sight) {
    const parts = { extent: chooseExtent(principal, widest, wanted), ...rightsOf(principal) }
    sight = { ...parts, key: shortKey(JSON.stringify(parts)) }
    known.set(name, sight)
  }
  return sight
}

interface Owned {
  readonly projectId: string
  readonly domainId: string
}

/** Whether an extent has what belongs to an owner. */
export function covers(extent: Extent, { projectId, domainId }: Owned): boolean {
  switch (extent.kind) {
    case 'system':
      return true
    case 'domain':
      return extent.domainId === domainId
    case 'project':
      return extent.projectId === projectId
    case 'nothing':
      return false
  }
}

/** Whether an extent has all that another one has. */
export function includes(extent: Extent, other: Extent): boolean {
  if (extent.kind === 'system') return true
  if (other.kind === 'project') return covers(extent, other)
  return other.kind === 'domain' && extent.kind === 'domain' && extent.domainId === other.domainId
}
