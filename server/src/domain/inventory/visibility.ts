import type { RequiredPermission } from '@muster/contract'
import { LRUCache } from 'lru-cache'
import { badField, PlatformError } from '../error.ts'
import type { Principal } from '../identity/principal.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import { includes, type ScopeOrNone } from '../scope.ts'
import type { ScopeParameter } from '../query/list-query.ts'
import type { StateFilter } from './server-query.ts'

type Level = RequiredPermission['at'][number]

const everyLevel: readonly Level[] = ['system', 'domain', 'project']

const right = (action: RequiredPermission['action'], at = everyLevel): RequiredPermission => ({
  service: 'compute',
  resource: 'servers',
  action,
  at,
})

/**
 * What a caller sees of the fleet, and what of it is theirs to change. It is made from rows and the
 * token; a request can only ask for less.
 */
export interface Visibility {
  readonly scope: ScopeOrNone
  /** Where the caller may tag servers. */
  readonly updates: ScopeOrNone
  /** Where the caller may look at what was deleted, and into the recycle bin. */
  readonly deletes: ScopeOrNone
  /** Where the caller sees what an operator forces upon servers. */
  readonly administers: ScopeOrNone
  /** Callers with the same key see the same bytes. */
  readonly key: string
}

const rights = new WeakMap<Principal, Omit<Visibility, 'scope' | 'key'>>()

function rightsOf(principal: Principal): Omit<Visibility, 'scope' | 'key'> {
  let known = rights.get(principal)
  if (!known) {
    const authorizedScope = (need: RequiredPermission) => findAuthorizedScope(principal, need).scope
    known = {
      updates: authorizedScope(right('update')),
      deletes: authorizedScope(right('delete')),
      administers: authorizedScope(right('get', ['system', 'domain'])),
    }
    rights.set(principal, known)
  }
  return known
}

const notSoFar = (wanted: ScopeParameter) =>
  new PlatformError(
    'ForbiddenError',
    `You do not have access to scope=${wanted}. Use a smaller scope, or scope=max for everything you can access.`,
  )

/** The scope of the token itself. */
function tokenScope({ scope }: Principal, widest: ScopeOrNone): ScopeOrNone {
  switch (scope.kind) {
    case 'project':
      return { kind: 'project', projectId: scope.project.id, domainId: scope.project.domain.id }
    case 'domain':
      return { kind: 'domain', domainId: scope.domain.id }
    case 'none':
      return widest
  }
}

function domainScope(principal: Principal, widest: ScopeOrNone): ScopeOrNone {
  const own = tokenScope(principal, widest)
  if (own.kind === 'domain') return own
  if (own.kind === 'project' && widest.kind === 'system') {
    return { kind: 'domain', domainId: own.domainId }
  }
  throw notSoFar('domain')
}

function chooseScope(
  principal: Principal,
  widest: ScopeOrNone,
  wanted: ScopeParameter | undefined,
): ScopeOrNone {
  switch (wanted) {
    case undefined:
      return tokenScope(principal, widest)
    case 'max':
      return widest
    case 'system':
      if (widest.kind !== 'system') throw notSoFar('system')
      return widest
    case 'domain':
      return domainScope(principal, widest)
    case 'project': {
      const own = tokenScope(principal, widest)
      if (own.kind !== 'project')
        throw badField('scope', 'must not be project: your token is for a domain')
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

const visibilities = new WeakMap<Principal, Map<string, Visibility>>()

/** What the caller sees when asking for a scope, within the caller's scope that the operation found. */
export function findVisibility(
  principal: Principal,
  widest: ScopeOrNone,
  wanted: ScopeParameter | undefined,
): Visibility {
  const known = visibilities.get(principal) ?? new Map<string, Visibility>()
  visibilities.set(principal, known)
  const name = `${widest.kind} ${wanted ?? ''}`
  let visibility = known.get(name)
  if (!visibility) {
    const parts = { scope: chooseScope(principal, widest, wanted), ...rightsOf(principal) }
    visibility = { ...parts, key: shortKey(JSON.stringify(parts)) }
    known.set(name, visibility)
  }
  return visibility
}

/** Only those who may delete servers may list the recycle bin and deleted servers. */
export function requireStateAccess(state: StateFilter, { scope, deletes }: Visibility): void {
  if (state !== 'live' && !includes(deletes, scope)) {
    throw new PlatformError(
      'ForbiddenError',
      'You need the permission "delete" on "compute.servers" in this scope to list the recycle bin and deleted servers.',
    )
  }
}
