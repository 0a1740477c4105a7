import type { ScopeParameter } from '@muster/contract'
import { badField, PlatformError } from '../error.ts'
import type { AuthorizedScope, ScopeOrNone } from '../scope.ts'
import type { Caller } from './caller.ts'
import type { Principal } from './principal.ts'

const notSoFar = (wanted: ScopeParameter) =>
  new PlatformError(
    'ForbiddenError',
    `You do not have access to scope=${wanted}. Use a smaller scope, or scope=max for everything you can access.`,
  )

/** The scope of the token itself. */
function tokenScope({ scope }: Principal, maxScope: ScopeOrNone): ScopeOrNone {
  switch (scope.kind) {
    case 'project':
      return { kind: 'project', projectId: scope.project.id, domainId: scope.project.domain.id }
    case 'domain':
      return { kind: 'domain', domainId: scope.domain.id }
    case 'none':
      return maxScope
  }
}

function domainScope(principal: Principal, maxScope: ScopeOrNone): ScopeOrNone {
  const own = tokenScope(principal, maxScope)
  if (own.kind === 'domain') return own
  if (own.kind === 'project' && maxScope.kind === 'system') {
    return { kind: 'domain', domainId: own.domainId }
  }
  throw notSoFar('domain')
}

/** The requested scope within the largest one. Without a request it is the scope of the token. */
export function chooseScope(
  principal: Principal,
  maxScope: ScopeOrNone,
  wanted: ScopeParameter | undefined,
): ScopeOrNone {
  switch (wanted) {
    case undefined:
      return tokenScope(principal, maxScope)
    case 'max':
      return maxScope
    case 'system':
      if (maxScope.kind !== 'system') throw notSoFar('system')
      return maxScope
    case 'domain':
      return domainScope(principal, maxScope)
    case 'project': {
      const own = tokenScope(principal, maxScope)
      if (own.kind !== 'project')
        throw badField('scope', 'must not be project: your token is for a domain')
      return own
    }
  }
}

/**
 * The scope of a list that by default has everything the caller can access. In a requested scope, the
 * caller's own resources get no special treatment.
 */
export function narrowScope(
  { principal, authorizedScope }: Pick<Caller, 'principal' | 'authorizedScope'>,
  wanted: ScopeParameter | undefined,
): AuthorizedScope {
  if (wanted === undefined || wanted === 'max') return authorizedScope
  if (authorizedScope.scope.kind === 'none') throw notSoFar(wanted)
  return { scope: chooseScope(principal, authorizedScope.scope, wanted), self: undefined }
}
