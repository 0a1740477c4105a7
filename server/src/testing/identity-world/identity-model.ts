import { operations, type RequiredPermission, type OperationId } from '@muster/contract'
import type { Selectable } from 'kysely'
import { nameKey } from '../../domain/name-key.ts'
import type { PolicyRule, TokenScope } from '../../domain/identity/records.ts'
import type { Database } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'

/**
 * Predicts the lists of identity from plain rows in memory. It follows the contract and the decisions,
 * and shares no code with the product.
 */

const tables = [
  'domains',
  'projects',
  'users',
  'groups',
  'group_members',
  'roles',
  'policies',
  'role_policies',
  'assignments',
  'access_keys',
  'identity_providers',
  'events',
] as const
type Table = (typeof tables)[number]
export type World = { readonly [T in Table]: readonly Selectable<Tables[T]>[] }
export type Row = Readonly<Record<string, string | number | null>> & { readonly id: string }

/** Every row, as stored. */
export async function readWorld({ db }: Database): Promise<World> {
  const world: Partial<Record<Table, unknown>> = {}
  for (const table of tables) {
    world[table] = await db
      .selectFrom(table as 'domains')
      .selectAll()
      .execute()
  }
  return world as World
}

/** A caller: a user with a token of some scope. */
export interface Person {
  readonly userId: string
  readonly scope: TokenScope
}

/** Everybody who can have a token, with each scope they can have one for. */
export function everyPerson(world: World): Person[] {
  const isOpen = (id: string | null) => world.domains.some((it) => it.id === id && it.enabled === 1)
  const isUsable = ({ project_id, domain_id }: World['assignments'][number]) => {
    const project = world.projects.find(({ id }) => id === project_id)
    return project ? project.enabled === 1 && isOpen(project.domain_id) : isOpen(domain_id)
  }
  return world.users
    .filter(({ enabled, domain_id }) => enabled === 1 && isOpen(domain_id))
    .flatMap(({ id: userId }) => {
      const scopes = new Map<string, TokenScope>([['', { kind: 'none' }]])
      for (const held of heldBy(world, userId).filter(isUsable)) {
        const { project_id, domain_id } = held
        if (project_id !== null) scopes.set(project_id, { kind: 'project', id: project_id })
        else if (domain_id !== null) scopes.set(domain_id, { kind: 'domain', id: domain_id })
      }
      return Array.from(scopes.values(), (scope) => ({ userId, scope }))
    })
}

/** The kind of a caller, by the token's scope and by whether a system role applies in it. */
export function callerKindOf(world: World, { userId, scope }: Person): string {
  const isOnSystem = heldBy(world, userId).some((it) => (it.project_id ?? it.domain_id) === null)
  return scope.kind === 'project' && isOnSystem ? 'system' : scope.kind
}

const groupsOf = (world: World, userId: string): Set<string | null> =>
  new Set(world.group_members.filter((it) => it.user_id === userId).map((it) => it.group_id))

/** The roles of a user, direct or through a group. */
function heldBy(world: World, userId: string) {
  const groups = groupsOf(world, userId)
  return world.assignments.filter((it) => it.user_id === userId || groups.has(it.group_id))
}

/** The authorized scope of a caller in one operation. */
interface Visibility {
  readonly level: 'system' | 'domain' | 'project' | 'none'
  readonly domainId?: string
  readonly projectId?: string
  /** The user whose own resources are visible as well. */
  readonly self: string | undefined
}

/** The more specific rule wins, deny wins a tie, and the default is deny. */
function isAllowed(rules: readonly PolicyRule[], need: RequiredPermission): boolean {
  const places = ['service', 'resource', 'action'] as const
  const speaking = rules
    .filter((rule) => places.every((place) => rule[place] === '*' || rule[place] === need[place]))
    .map((rule) => ({
      effect: rule.effect,
      exactness: places.filter((place) => rule[place] !== '*').length,
    }))
  const most = Math.max(...speaking.map(({ exactness }) => exactness))
  const deciding = speaking.filter(({ exactness }) => exactness === most)
  return deciding.length > 0 && deciding.every(({ effect }) => effect === 'allow')
}

/** Undefined where the answer is a 403. */
function visibilityOf(
  world: World,
  { userId, scope }: Person,
  need: RequiredPermission,
): Visibility | undefined {
  const self = need.at.includes('self') ? userId : undefined
  const rulesAt = (level: 'system' | 'domain' | 'project') => {
    const held = heldBy(world, userId).filter(({ project_id, domain_id }) => {
      if (level === 'project') return scope.kind === 'project' && project_id === scope.id
      if (level === 'domain') return scope.kind === 'domain' && domain_id === scope.id
      return scope.kind === 'project' && project_id === null && domain_id === null
    })
    const roles = new Set(held.map(({ role_id }) => role_id))
    const bound = new Set(
      world.role_policies.filter((it) => roles.has(it.role_id)).map((it) => it.policy_id),
    )
    return world.policies
      .filter((it) => bound.has(it.id) && it.scope === level && it.enabled === 1)
      .flatMap(({ rules }) => JSON.parse(rules) as PolicyRule[])
  }
  const counts = (level: 'system' | 'domain' | 'project') =>
    need.at.includes(level) && isAllowed(rulesAt(level), need)
  if (counts('system')) return { level: 'system', self }
  if (scope.kind === 'domain' && counts('domain')) {
    return { level: 'domain', domainId: scope.id, self }
  }
  const project = world.projects.find(({ id }) => scope.kind === 'project' && id === scope.id)
  if (project && counts('project')) {
    return { level: 'project', projectId: project.id, domainId: project.domain_id, self }
  }
  return self === undefined ? undefined : { level: 'none', self }
}

type Kind = Exclude<Table, 'group_members' | 'role_policies' | 'assignments'>

/** Whether a row is visible in an authorized scope. */
function isSeen(world: World, kind: Kind, row: Row, visibility: Visibility): boolean {
  const { level, domainId, projectId, self } = visibility
  const isOwn =
    self !== undefined &&
    ((kind === 'users' && row.id === self) ||
      ((kind === 'access_keys' || kind === 'events') && row['user_id'] === self))
  if (isOwn || level === 'system') return true
  if (level === 'none') return false
  if (kind === 'roles' || kind === 'policies') return true
  if (kind === 'domains') return row.id === domainId
  if (level === 'domain') {
    const owner = world.users.find(({ id }) => id === row['user_id'])
    return (kind === 'access_keys' ? owner?.domain_id : row['domain_id']) === domainId
  }
  if (kind === 'access_keys' || kind === 'events') return row['project_id'] === projectId
  if (kind === 'projects') return row.id === projectId
  const onProject = world.assignments.filter((it) => it.project_id === projectId)
  if (kind === 'groups') return onProject.some(({ group_id }) => group_id === row.id)
  return kind === 'users' && heldBy({ ...world, assignments: onProject }, row.id).length > 0
}

export interface ListQuery {
  readonly list: OperationId
  /** The resources in the path. */
  readonly parents: Readonly<Record<string, string>>
  readonly filters: Readonly<Record<string, string>>
  readonly sortKey: string
  readonly descending: boolean
}

type Expectation =
  | { readonly status: 400 | 403 | 404 }
  | { readonly status: 200; readonly rows: readonly Row[] }

const isYes = (word: string | undefined) => ['', 'true', 'True', '1'].includes(word ?? 'no')

const lists: Partial<Record<OperationId, Kind>> = {
  listDomains: 'domains',
  listProjects: 'projects',
  listUsers: 'users',
  listGroups: 'groups',
  listRoles: 'roles',
  listPolicies: 'policies',
  listCredentials: 'access_keys',
  listIdentityProviders: 'identity_providers',
  listEvents: 'events',
}

/** The rows that a list is made of before it is narrowed; undefined where the answer is a 404. */
function candidates(
  world: World,
  person: Person,
  parentVisibility: Visibility,
  { list, parents, filters }: ListQuery,
  visibility = parentVisibility,
): readonly Row[] | undefined {
  const { id = '', user_id, group_id } = parents
  const all = (kind: Kind) => world[kind] as unknown as readonly Row[]
  const seen = (kind: Kind) => all(kind).filter((row) => isSeen(world, kind, row, visibility))
  const isThere = (kind: Kind) =>
    all(kind).some((row) => row.id === id && isSeen(world, kind, row, parentVisibility))
  /** A user's own resources are always included. */
  const ownOrSeen = (kind: Kind) =>
    id === person.userId && visibility === parentVisibility ? all(kind) : seen(kind)
  const kind = lists[list]
  if (kind) return seen(kind)

  switch (list as string) {
    case 'listUserProjects': {
      const held = new Set(heldBy(world, id).map(({ project_id }) => project_id))
      return isThere('users') ? ownOrSeen('projects').filter((row) => held.has(row.id)) : undefined
    }
    case 'listUserGroups': {
      const groups = groupsOf(world, id)
      return isThere('users') ? ownOrSeen('groups').filter((row) => groups.has(row.id)) : undefined
    }
    case 'listGroupUsers':
      return isThere('groups')
        ? seen('users').filter((row) => groupsOf(world, row.id).has(id))
        : undefined
    case 'listRolePolicies': {
      const bound = world.role_policies.filter(({ role_id }) => role_id === id)
      return isThere('roles')
        ? seen('policies').filter((row) => bound.some(({ policy_id }) => policy_id === row.id))
        : undefined
    }
    case 'listRoleAssignments':
      return grantsSeen(world, visibility, isYes(filters['effective']))
    default: {
      // The roles of one holder at one place.
      const place = list.includes('Project') ? 'projects' : 'domains'
      if (!list.includes('System') && !isThere(place)) return undefined
      const held = world.assignments.filter(
        (it) =>
          (user_id === undefined ? it.group_id === group_id : it.user_id === user_id) &&
          it.project_id === (list.includes('Project') ? id : null) &&
          it.domain_id === (list.includes('Domain') ? id : null),
      )
      return all('roles').filter((row) => held.some(({ role_id }) => role_id === row.id))
    }
  }
}

/** Assignments, each with the holder that is shown and with its link. */
function grantsSeen(world: World, visibility: Visibility, isEffective: boolean): Row[] {
  const { self } = visibility
  const own = new Set(self === undefined ? [] : heldBy(world, self).map(({ id }) => id))
  return world.assignments.flatMap((grant) => {
    const project = world.projects.find(({ id }) => id === grant.project_id)
    const isWithin =
      visibility.level === 'system' ||
      (visibility.level === 'domain' &&
        (grant.domain_id ?? project?.domain_id ?? null) === visibility.domainId) ||
      (visibility.level === 'project' && grant.project_id === visibility.projectId)
    const place = project
      ? `projects/${project.id}`
      : grant.domain_id === null
        ? 'system'
        : `domains/${grant.domain_id}`
    const holder = grant.group_id === null ? `users/${grant.user_id}` : `groups/${grant.group_id}`
    const row = { ...grant, link: `/v3/${place}/${holder}/roles/${grant.role_id}` }
    if (!isEffective || grant.user_id !== null) return isWithin || own.has(grant.id) ? [row] : []
    // Members of a group see only themselves in it, not the other members.
    return world.group_members
      .filter(({ group_id }) => group_id === grant.group_id)
      .filter(({ user_id }) => isWithin || user_id === self)
      .map(({ user_id }) => ({ ...row, user_id }))
  })
}

/** Compares by code point; `<` compares UTF-16 units. */
function compare(a: Row[string], b: Row[string]): number {
  if (typeof a === 'string' && typeof b === 'string')
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

const sameTimestamp = (word: string) => Date.parse(word)

function isKept(row: Row, name: string, value: string): boolean {
  switch (name) {
    case 'name':
      return nameKey(String(row['name'])) === nameKey(value)
    case 'enabled':
      return (row['enabled'] === 1) === isYes(value)
    case 'parent_id':
      return row['domain_id'] === value
    case 'scope.project.id':
      return row['project_id'] === value
    case 'scope.domain.id':
      return row['domain_id'] === value
    case 'scope.system':
      return row['project_id'] === null && row['domain_id'] === null
    case 'since':
      return Number(row['time']) >= sameTimestamp(value)
    case 'before':
      return Number(row['time']) < sameTimestamp(value)
    case 'search':
      return isFound(row, value)
    case 'filter':
      return isFiltered(row, value)
    case 'scope':
      return row['rules'] === undefined || value === 'max' || row['scope'] === value
    case 'type':
    case 'effective':
    case 'include_names':
      return true
    default:
      return row[name.replace('.id', '_id')] === value
  }
}

/** The visible rows within the requested scope, or the status of the error. */
function narrow(
  world: World,
  { scope }: Person,
  visibility: Visibility,
  wanted: string | undefined,
): Visibility | 400 | 403 {
  if (wanted === undefined || wanted === 'max') return visibility
  const { level } = visibility
  if (level === 'none') return 403
  const project = world.projects.find(({ id }) => scope.kind === 'project' && id === scope.id)
  if (wanted === 'system') return level === 'system' ? { level, self: undefined } : 403
  const domainId = scope.kind === 'domain' ? scope.id : project?.domain_id
  if (wanted === 'domain') {
    const isAllowed = level !== 'project' && domainId !== undefined
    return isAllowed ? { level: 'domain', domainId, self: undefined } : 403
  }
  if (scope.kind !== 'project' || domainId === undefined) return 400
  return { level: 'project', domainId, projectId: scope.id, self: undefined }
}

const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The columns that a search looks into, besides the name. */
const searched = {
  others: ['id', 'description', 'last_used_ip'],
  events: ['target_id', 'target_name', 'user_id', 'user_name', 'ip', 'request_id'],
}

function isFound(row: Row, text: string): boolean {
  const columns = 'target_id' in row ? searched.events : searched.others
  const inName = row['name'] !== undefined && nameKey(String(row['name'])).includes(nameKey(text))
  return inName || columns.some((column) => lower(String(row[column] ?? '')).includes(lower(text)))
}

/** `name.contains('…')` and the like. */
function isFiltered(row: Row, filter: string): boolean {
  const [, comparison = '', text = ''] = /^name\.(\w+)\('(.*)'\)$/.exec(filter) ?? []
  const name = String(row['name'])
  const [key, part] = [nameKey(name), nameKey(text)]
  switch (comparison) {
    case 'contains':
      return key.includes(part)
    case 'startswith':
      return key.startsWith(part)
    case 'endswith':
      return key.endsWith(part)
    case 'equals':
      return key === part
    case 'notequals':
      return key !== part
    case 'ge':
      return compare(name, text) >= 0
    default:
      return compare(name, text) < 0
  }
}

/** The expected response to a query. */
export function expect(world: World, person: Person, listQuery: ListQuery): Expectation {
  const { list, filters, sortKey, descending } = listQuery
  const operation = operations.find(({ id }) => id === list)
  if (!operation || !('permission' in operation)) throw new Error(`${list} is no list`)
  const visibility = visibilityOf(world, person, operation.permission)
  if (!visibility) return { status: 403 }
  const isOwn =
    /^listUser(Projects|Groups)$/.test(list) && listQuery.parents['id'] === person.userId
  // Policies have a scope of their own to filter by.
  const scope = list.endsWith('Policies') ? undefined : filters['scope']
  const narrowed = narrow(
    world,
    person,
    isOwn ? { level: 'system', self: undefined } : visibility,
    scope,
  )
  const isOfParent = Object.keys(listQuery.parents).length > 0
  if (isOfParent && !candidates(world, person, visibility, listQuery)) return { status: 404 }
  if (typeof narrowed === 'number') return { status: narrowed }
  const found = candidates(world, person, visibility, listQuery, narrowed)
  if (!found) return { status: 404 }
  const kept = found.filter((row) =>
    Object.entries(filters).every(([name, value]) => isKept(row, name, value)),
  )
  const sorted = kept.toSorted(
    (a, b) => compare(a[sortKey] ?? null, b[sortKey] ?? null) || compare(a.id, b.id),
  )
  return { status: 200, rows: descending ? sorted.toReversed() : sorted }
}
