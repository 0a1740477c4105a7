import { isDeepStrictEqual } from 'node:util'
import type { KeyRestriction, ScopeRequest } from '@muster/contract'
import { badField, loginFailed } from '../error.ts'
import { nameKey } from '../name-key.ts'
import { restrictUserStatus } from './access-key/key-restriction.ts'
import type { DomainReference, MemberReference } from './ports.ts'
import type {
  Assignment,
  DomainRecord,
  Named,
  ProjectRecord,
  UserStatus,
  TokenScope,
} from './records.ts'

/** The scope that a login requests. */
export type RequestedScope =
  | { readonly kind: 'default' }
  | { readonly kind: 'project'; readonly project: MemberReference }
  | { readonly kind: 'domain'; readonly domain: DomainReference }

/** The scope of a token, with its records. */
export type GrantedScope =
  | { readonly kind: 'none' }
  | { readonly kind: 'project'; readonly project: ProjectRecord }
  | { readonly kind: 'domain'; readonly domain: DomainRecord }

/** Reads the scope of a login request. Throws a 400 before any credential is checked. */
export function readRequestedScope(scope: ScopeRequest | undefined): RequestedScope {
  if (scope?.project && scope.domain) {
    throw badField('auth.scope', 'must have either a project or a domain, not both')
  }
  if (scope?.project) {
    const { id, name, domain } = scope.project
    if (id === undefined && name === undefined) {
      throw badField('auth.scope.project', 'needs an id or a name', 'MissingParameterError')
    }
    const isAnywhere = domain?.id === undefined && domain?.name === undefined
    return {
      kind: 'project',
      project: {
        ...(id !== undefined && { id }),
        ...(name !== undefined && { name }),
        ...(!isAnywhere && { domain }),
      },
    }
  }
  if (scope?.domain) {
    if (scope.domain.id === undefined && scope.domain.name === undefined) {
      throw badField('auth.scope.domain', 'needs an id or a name', 'MissingParameterError')
    }
    return { kind: 'domain', domain: scope.domain }
  }
  return { kind: 'default' }
}

const isNamed = (record: Named, reference: DomainReference) =>
  (reference.id === undefined || reference.id === record.id) &&
  (reference.name === undefined || nameKey(reference.name) === nameKey(record.name))

const isOpen = (project: ProjectRecord) => project.enabled && project.domain.enabled

const projectsWhere = (userStatus: UserStatus, test: (project: ProjectRecord) => boolean) =>
  userStatus.assignments.flatMap(({ target }) =>
    target.kind === 'project' && isOpen(target.project) && test(target.project)
      ? [target.project]
      : [],
  )

const domainsWhere = (userStatus: UserStatus, test: (domain: DomainRecord) => boolean) =>
  userStatus.assignments.flatMap(({ target }) =>
    target.kind === 'domain' && target.domain.enabled && test(target.domain) ? [target.domain] : [],
  )

const distinct = <Item extends Named>(records: readonly Item[]): Item[] => [
  ...new Map(records.map((record) => [record.id, record])).values(),
]

/** The projects a user can get a token for. */
export const openProjects = (userStatus: UserStatus): ProjectRecord[] =>
  distinct(projectsWhere(userStatus, () => true))

/** The domains a user can get a token for. */
export const openDomains = (userStatus: UserStatus): DomainRecord[] =>
  distinct(domainsWhere(userStatus, () => true))

/**
 * A name without a domain means the user's own domain, else the only project of that name that the
 * user has.
 */
function findProject({ domain, ...reference }: MemberReference, userStatus: UserStatus) {
  const named = distinct(
    projectsWhere(
      userStatus,
      (candidate) =>
        isNamed(candidate, reference) && (!domain || isNamed(candidate.domain, domain)),
    ),
  )
  const own = named.find((candidate) => candidate.domain.id === userStatus.user.domain.id)
  return own ?? (named.length === 1 ? named[0] : undefined)
}

/** Grants the requested scope if the user holds a role in it. Otherwise the login fails. */
export function grantScope(requested: RequestedScope, userStatus: UserStatus): GrantedScope {
  if (requested.kind === 'default') {
    const id = userStatus.user.defaultProjectId
    return (id !== null && currentScope({ kind: 'project', id }, userStatus)) || { kind: 'none' }
  }
  if (requested.kind === 'project') {
    const project = findProject(requested.project, userStatus)
    if (project) return { kind: 'project', project }
  } else {
    const [domain] = domainsWhere(userStatus, (candidate) => isNamed(candidate, requested.domain))
    if (domain) return { kind: 'domain', domain }
  }
  throw loginFailed('no role there')
}

/**
 * The current records of a token's scope; undefined where the user no longer holds a role in it.
 */
export function currentScope(scope: TokenScope, userStatus: UserStatus): GrantedScope | undefined {
  if (scope.kind === 'none') return scope
  if (scope.kind === 'project') {
    const [project] = projectsWhere(userStatus, (candidate) => candidate.id === scope.id)
    return project && { kind: 'project', project }
  }
  const [domain] = domainsWhere(userStatus, (candidate) => candidate.id === scope.id)
  return domain && { kind: 'domain', domain }
}

/**
 * The scope of a credential that is bound to one, such as an access key. A request for another
 * scope fails, except for a project that the restriction of the key lists.
 */
export function credentialScope(
  own: TokenScope,
  requested: RequestedScope,
  holder: UserStatus,
  restriction: KeyRestriction | null = null,
): GrantedScope {
  const userStatus = restrictUserStatus(holder, restriction)
  if (restriction?.projects && requested.kind !== 'default')
    return grantScope(requested, userStatus)
  const held = currentScope(own, userStatus)
  const granted = requested.kind === 'default' ? held : grantScope(requested, userStatus)
  if (!held || !granted || !isDeepStrictEqual(toTokenScope(granted), toTokenScope(held))) {
    throw loginFailed('not the scope of the credential')
  }
  return held
}

/** The role assignments that apply in a scope. A role on the system applies in every project. */
export function assignmentsInScope(scope: GrantedScope, userStatus: UserStatus): Assignment[] {
  return userStatus.assignments.filter(({ target }) => {
    switch (scope.kind) {
      case 'none':
        return false
      case 'domain':
        return target.kind === 'domain' && target.domain.id === scope.domain.id
      case 'project':
        return (
          target.kind === 'system' ||
          (target.kind === 'project' && target.project.id === scope.project.id)
        )
    }
  })
}

/** The scope as a token's row stores it. */
export function toTokenScope(scope: GrantedScope): TokenScope {
  switch (scope.kind) {
    case 'none':
      return scope
    case 'project':
      return { kind: 'project', id: scope.project.id }
    case 'domain':
      return { kind: 'domain', id: scope.domain.id }
  }
}
