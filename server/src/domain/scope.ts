/** The system, one domain or one project. Roles are assigned in a scope, and events belong to one. */
export type Scope =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domainId: string }
  | { readonly kind: 'project'; readonly projectId: string; readonly domainId: string }

/** The scope of a permission; none where the permission is missing. */
export type ScopeOrNone = Scope | { readonly kind: 'none' }

/**
 * What a caller may access in one operation. It is made from rows and the token, and every query is
 * restricted by it: nothing in a request can widen it.
 */
export interface AuthorizedScope {
  readonly scope: ScopeOrNone
  /** The caller's user id, in operations where callers may also access what is their own. */
  readonly self: string | undefined
}

/** For the platform's own queries, which no caller's permissions restrict. */
export const everywhere: AuthorizedScope = { scope: { kind: 'system' }, self: undefined }

/** The id of the project or domain; undefined for the system and for none. */
export function scopeIdOf(scope: ScopeOrNone): string | undefined {
  if (scope.kind === 'project') return scope.projectId
  return scope.kind === 'domain' ? scope.domainId : undefined
}

interface Owner {
  readonly projectId: string
  readonly domainId: string
}

/** Whether what belongs to this owner is within the scope. */
export function covers(scope: ScopeOrNone, { projectId, domainId }: Owner): boolean {
  switch (scope.kind) {
    case 'system':
      return true
    case 'domain':
      return scope.domainId === domainId
    case 'project':
      return scope.projectId === projectId
    case 'none':
      return false
  }
}

/** Whether a scope has all that another one has. */
export function includes(scope: ScopeOrNone, other: ScopeOrNone): boolean {
  if (scope.kind === 'system') return true
  if (other.kind === 'project') return covers(scope, other)
  return other.kind === 'domain' && scope.kind === 'domain' && scope.domainId === other.domainId
}
