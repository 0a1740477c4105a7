import { operations, type Operation, type OperationId } from '@muster/contract'
import fc from 'fast-check'
import { callerKindOf, type Person, type ListQuery, type World } from './identity-model.ts'

/** The list operations of administration that need a permission. */
const asksForList = ({ id, method, path, permission }: Operation) =>
  method === 'GET' &&
  id.startsWith('list') &&
  // The resources of the platform have models of their own.
  /^\/(?:v3\/|events)/.test(path) &&
  permission !== undefined &&
  // These come from the settings, and are the same for everyone.
  !['services', 'endpoints', 'regions'].includes(permission.resource) &&
  // These show what other lists show, with the field names of Cloudpods.
  !['/v3/events', '/v3/rolepolicies'].includes(path)

const all: readonly Operation[] = operations
export const listOperations = all.filter(asksForList)

/** Other spellings of existing names, and names that do not exist. */
const spellings = (names: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...names).map((name) => name.toUpperCase()),
    fc.constantFrom(...names).map((name) => ` ${name.toLowerCase()}\u3000`),
    fc.constantFrom('nobody', 'apple%', '%', '_'),
  )

const flags = fc.constantFrom('true', 'false', 'True', 'False', '1', '0', '')
/** Placeholders for the caller, and for a user or a group in the caller's domain. */
const oneself = 'oneself'
const neighbour = 'neighbour'
const absentId = '0123456789abcdef0123456789abcdef'

interface Pick {
  readonly person: Person
  readonly listQuery: ListQuery
  /** The approximate number of pages. */
  readonly pages: number
  readonly paging: 'links' | 'ids'
}

/** The filters and sort fields that the model knows. */
const modelled = new Set([
  'action',
  'before',
  'domain_id',
  'effective',
  'enabled',
  'include_names',
  'name',
  'parent_id',
  'project_id',
  'request_id',
  'result',
  'scope',
  'search',
  'since',
  'target_id',
  'target_type',
  'type',
  'user_id',
])
const modelledSortKeys = new Set(['created_at', 'enabled', 'id', 'name'])

const comparisons = ['contains', 'startswith', 'endswith', 'equals', 'notequals', 'ge', 'lt']

/** Random queries of the users of a world. */
export function createListQueries(world: World, people: readonly Person[]): fc.Arbitrary<Pick> {
  const idOf = (rows: readonly { readonly id: string }[]) =>
    fc.constantFrom(...rows.map(({ id }) => id), absentId)
  const ids: Readonly<Record<string, fc.Arbitrary<string>>> = {
    domain: idOf(world.domains),
    project: idOf(world.projects),
    user: fc.oneof(idOf(world.users), fc.constantFrom(oneself, neighbour)),
    group: fc.oneof(idOf(world.groups), fc.constant(neighbour)),
    role: idOf(world.roles),
  }
  const known = (table: keyof World, column: string) => {
    const rows = world[table] as unknown as readonly Record<string, string>[]
    const values = new Set(rows.map((row) => row[column] ?? '').filter((value) => value !== ''))
    return fc.constantFrom(...values, 'unheard of')
  }

  function valueOf(name: string, table: keyof World): fc.Arbitrary<string> {
    if (['enabled', 'effective', 'include_names'].includes(name)) return flags
    if (name === 'scope.system') return fc.constant('all')
    if (name === 'type') return fc.constant('aksk')
    if (name === 'scope') return fc.constantFrom('system', 'domain', 'project', 'max')
    if (name === 'search') return fc.constantFrom('a', 'E', 'ple', '%', 'default')
    if (name === 'filter') {
      return fc
        .tuple(fc.constantFrom(...comparisons), fc.constantFrom('a', 'AP', 'E', '_', 'k'))
        .map(([comparison, text]) => `name.${comparison}('${text}')`)
    }
    if (name === 'result') return fc.constantFrom('success', 'failure', 'denied')
    if (name === 'since' || name === 'before') {
      return fc.nat(10).map((minute) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`)
    }
    if (name === 'name') {
      const rows = world[table] as unknown as readonly { readonly name: string }[]
      return spellings(rows.map((row) => row.name))
    }
    const noun = /(\w+)[._]id$/.exec(name)?.[1] ?? ''
    return ids[noun === 'parent' ? 'domain' : noun] ?? known(table, name)
  }

  const tableOf = (operation: Operation): keyof World => {
    const body = operation.responses[200]?.body as { properties: object } | undefined
    const [key = ''] = Object.keys(body?.properties ?? {})
    if (key === 'credentials') return 'access_keys'
    return key === 'role_assignments' ? 'assignments' : (key as keyof World)
  }

  const neighboursOf = ({ userId, scope }: Person, table: 'users' | 'groups') => {
    const home =
      scope.kind === 'project'
        ? world.projects.find(({ id }) => id === scope.id)?.domain_id
        : scope.kind === 'domain'
          ? scope.id
          : world.users.find(({ id }) => id === userId)?.domain_id
    return world[table].filter(({ domain_id }) => domain_id === home).map(({ id }) => id)
  }

  /** A holder and a scope with an assignment. Two that are drawn independently hardly ever have one. */
  function heldThere({ id: list, path }: Operation): Record<string, string>[] {
    const place = path.includes('/projects/') ? 'project_id' : 'domain_id'
    const needed = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    if (!/^list(Project|Domain|System)(User|Group)Roles$/.test(list)) return []
    return world.assignments
      .map((grant) => ({ id: grant[place], user_id: grant.user_id, group_id: grant.group_id }))
      .map((grant) => needed.map((name) => [name, grant[name as 'id']]))
      .filter((pairs) => pairs.every(([, id]) => id !== null))
      .map((pairs) => Object.fromEntries(pairs) as Record<string, string>)
  }

  function queriesOf(operation: Operation): fc.Arbitrary<ListQuery> {
    const { sort_key, sort_dir, ...others } = operation.query?.properties ?? {}
    const table = tableOf(operation)
    const filters = Object.keys(others).filter(
      (name) =>
        name.includes('.') ||
        (name === 'filter' && 'name' in others) ||
        // Whether somebody finds a user by e-mail depends on the user.
        (modelled.has(name) && !(name === 'search' && /users|assignments/.test(table))),
    )
    const collection = operation.path.split('/')[2] ?? ''
    const parents = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      ids[name === 'id' ? collection.slice(0, -1) : name.slice(0, -3)] ?? fc.constant(absentId),
    ])
    const narrowing = filters.map((name) => [
      name,
      fc.oneof(
        { weight: name === 'effective' ? 1 : 5, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: valueOf(name, table) },
      ),
    ])
    const held = heldThere(operation)
    const { enum: allSortKeys = [] } = (sort_key ?? {}) as { enum?: string[] }
    const sortKeys = allSortKeys.filter((name) => modelledSortKeys.has(name))
    const isNewestFirst = operation.id === 'listEvents'
    return fc.record({
      list: fc.constant(operation.id as OperationId),
      parents: fc.oneof(
        fc.record(Object.fromEntries(parents) as Record<string, fc.Arbitrary<string>>),
        ...(held.length > 0 ? [fc.constantFrom(...held)] : []),
      ),
      filters: fc
        .record(Object.fromEntries(narrowing) as Record<string, fc.Arbitrary<string | undefined>>)
        .map(
          (record) =>
            Object.fromEntries(
              Object.entries(record).filter(([, value]) => value !== undefined),
            ) as Record<string, string>,
        ),
      sortKey:
        sortKeys.length > 0
          ? fc.constantFrom(...sortKeys)
          : fc.constant(isNewestFirst ? 'id' : 'name'),
      descending: sort_dir ? fc.boolean() : fc.constant(isNewestFirst),
    })
  }

  return fc
    .record({
      // Each kind of caller is equally frequent, although most users have few roles.
      person: fc.oneof(
        ...Map.groupBy(people, (person) => callerKindOf(world, person))
          .values()
          .map((alike) => fc.constantFrom(...alike)),
      ),
      listQuery: fc.oneof(
        ...listOperations.map((operation) => ({
          // The only list that combines several tables.
          weight: operation.id === 'listRoleAssignments' ? 3 : 1,
          arbitrary: queriesOf(operation),
        })),
      ),
      pages: fc.nat(2),
      paging: fc.constantFrom('links' as const, 'ids' as const),
      which: fc.nat(),
    })
    .map(({ person, listQuery, which, ...rest }) => {
      const { parents, filters, list } = listQuery
      const own = (values: ListQuery['filters']) =>
        Object.fromEntries(
          Object.entries(values).map(([name, word]) => {
            if (word === oneself) return [name, person.userId]
            if (word !== neighbour) return [name, word]
            const isGroup = name.startsWith('group') || list === 'listGroupUsers'
            const around = neighboursOf(person, isGroup ? 'groups' : 'users')
            return [name, around[which % around.length] ?? absentId]
          }),
        )
      const asked = { ...listQuery, parents: own(parents), filters: own(filters) }
      return { person, listQuery: asked, ...rest }
    })
}
