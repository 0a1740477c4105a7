import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Selectable } from 'kysely'
import type { PolicyRule } from '../../domain/identity/records.ts'
import { nameKey } from '../../domain/name-key.ts'
import type { Database, Statement } from '../../storage/database.ts'
import { createInsertEvent } from '../../storage/event-store.ts'
import type { Tables } from '../../storage/tables.ts'
import { createIdentityWorld } from './create-identity-world.ts'
import { createdAt } from './identity-rows.ts'
import { casOptions, makeEvent } from './identity-records.ts'

/** A whole number from 0 up to this one. */
type Draw = (most: number) => number

/** The same numbers again for the same seed. */
export function createDraw(seed: number): Draw {
  const numbers = fc.sample(fc.noBias(fc.nat()), { numRuns: 5_000, seed })
  let drawn = 0
  return (most) => {
    drawn += 1
    return (numbers[drawn % numbers.length] ?? 0) % (most + 1)
  }
}

/**
 * Parts of names that sort differently by code point, by language, by case and by UTF-16, or that
 * have a meaning in a URL or in SQL.
 */
export const sampleWords = [
  'apple Apple APPLE äpfel zebra Zebra éclair eclair Éclair straße STRASSE İstanbul istanbul ﬁsh fish',
  '漢字 カナ ｶﾅ Ａbc 😀 𝒜 \uFFFD _ - ~ 0 10 9 a\u3000c a\u00a0d Жук жук ﷺ',
  'o\'hara a?b a&b=c a#b 100% a+b a/b "quoted" back\\slash <b> a;b a,b',
].flatMap((line) => line.split(' '))

/** Roles beside the ready-made ones, where a decision takes more than one rule. */
const moreRoles: Readonly<
  Record<string, { scope: string; enabled?: boolean; rules: readonly PolicyRule[] }>
> = {
  computing_only: {
    scope: 'project',
    rules: [{ service: 'compute', resource: '*', action: '*', effect: 'allow' }],
  },
  all_but_users: {
    scope: 'domain',
    rules: [
      { service: '*', resource: '*', action: '*', effect: 'allow' },
      { service: 'identity', resource: 'users', action: '*', effect: 'deny' },
    ],
  },
  groups_and_no_list: {
    scope: 'domain',
    rules: [
      { service: 'identity', resource: 'groups', action: '*', effect: 'allow' },
      { service: 'identity', resource: '*', action: 'get', effect: 'allow' },
      { service: 'identity', resource: 'groups', action: 'list', effect: 'deny' },
      { service: '*', resource: '*', action: 'list', effect: 'allow' },
    ],
  },
  asleep: {
    scope: 'project',
    enabled: false,
    rules: [{ service: '*', resource: '*', action: '*', effect: 'allow' }],
  },
  reader_of_people: {
    scope: 'system',
    rules: [
      { service: 'identity', resource: 'users', action: 'list', effect: 'allow' },
      { service: 'identity', resource: 'users', action: 'get', effect: 'allow' },
    ],
  },
}

type Insert = { readonly [Table in keyof Tables]?: Partial<Selectable<Tables[Table]>>[] }

interface Options {
  /** Distinguishes it from others in the same storage. */
  readonly label?: string
  /** Whether it brings roles of its own, which everyone sees. */
  readonly hasRoles?: boolean
}

/** Writes a random organisation in one commit. Returns the number of rows. */
export async function addRandomOrganisation(
  database: Database,
  draw: Draw,
  { label = 'one', hasRoles = true }: Options = {},
): Promise<number> {
  const { db } = database
  let serial = 0
  const id = () => {
    serial += 1
    return createHash('sha256').update(`${label} ${serial}`).digest('hex').slice(0, 32)
  }
  const pick = <Thing>(things: readonly Thing[]) => things[draw(things.length - 1)] as Thing
  const some = <Thing>(count: number, make: (index: number) => Thing) =>
    Array.from({ length: count }, (_, index) => make(index))
  const flag = () => (draw(4) === 0 ? 0 : 1)

  const taken = new Set<string>()
  /** A name that is free in its domain, and likely there in another domain too. */
  function freshName(where: string): { name: string; name_key: string } {
    for (let suffix = 0; ; suffix += 1) {
      const name = `${pick(sampleWords)}${suffix === 0 ? '' : suffix}`
      const name_key = nameKey(name)
      if (taken.has(`${where} ${name_key}`)) continue
      taken.add(`${where} ${name_key}`)
      return { name, name_key }
    }
  }
  const labelled = (name: string) => ({ name, name_key: nameKey(name) })
  const common = (where: string) => ({
    id: id(),
    ...freshName(where),
    // Few timestamps for many rows, so that ties are broken by id.
    created_at: createdAt + draw(3) * 1_000,
  })

  const domains = some(5, () => {
    const row = common('domains')
    return { ...row, ...labelled(`${row.name} of ${label}`), description: '', enabled: flag() }
  })
  domains[0] = { ...(domains[0] as (typeof domains)[0]), enabled: 1 }
  const owned = (kind: string) => {
    const domain_id = pick(domains).id
    return { ...common(`${kind} ${domain_id}`), domain_id }
  }
  const projects = some(18, () => ({ ...owned('projects'), description: '', enabled: flag() }))
  const users = some(40, () => ({
    ...owned('users'),
    displayname: '',
    email: '',
    mobile: '',
    enabled: flag(),
    password_hash: null,
    password_expires_at: null,
    expires_at: null,
    default_project_id: draw(3) === 0 ? pick(projects).id : null,
  }))
  const groups = some(12, () => owned('groups'))
  const members = groups.flatMap((group) =>
    users.filter(() => draw(7) === 0).map((user) => ({ group_id: group.id, user_id: user.id })),
  )

  const roles: { id: string; scope: string }[] = []
  const insert: Required<Pick<Insert, 'roles' | 'policies' | 'role_policies'>> = {
    roles: [],
    policies: [],
    role_policies: [],
  }
  for (const [name, { scope, enabled = true, rules }] of Object.entries(
    hasRoles ? moreRoles : {},
  )) {
    const role = { id: id(), ...labelled(`${name} of ${label}`), created_at: createdAt }
    const policy = { ...role, id: id(), scope, enabled: Number(enabled) }
    insert.roles.push({ ...role, domain_id: 'default', description: '' })
    insert.policies.push({ ...policy, rules: JSON.stringify(rules), allows_all: 0, forbids: 1 })
    insert.role_policies.push({ role_id: role.id, policy_id: policy.id })
    roles.push({ id: role.id, scope })
  }
  const readyMade = await db
    .selectFrom('role_policies')
    .innerJoin('policies', 'policies.id', 'role_policies.policy_id')
    .select(['role_policies.role_id as id', 'policies.scope'])
    .orderBy('policies.name_key')
    .execute()
  roles.push(...readyMade)

  const assignments: Partial<Tables['assignments']>[] = []
  const once = new Set<string>()
  function assign(role: { id: string; scope: string }, holder: object): void {
    const place =
      role.scope === 'project'
        ? { project_id: pick(projects).id }
        : role.scope === 'domain'
          ? { domain_id: pick(domains).id }
          : {}
    const row = { role_id: role.id, ...holder, ...place }
    if (once.has(JSON.stringify(row))) return
    once.add(JSON.stringify(row))
    assignments.push({ id: id(), ...row })
  }
  for (const role of roles) {
    for (const holder of [users, users, users]) assign(role, { user_id: pick(holder).id })
    assign(role, { group_id: pick(groups).id })
  }
  const ofProjects = roles.filter(({ scope }) => scope === 'project')
  const notOfSystem = roles.filter(({ scope }) => scope !== 'system')
  // A system role applies only in a token for some project.
  for (const user of users) assign(pick(ofProjects), { user_id: user.id })
  for (let more = 0; more < 40; more += 1) {
    const holder = draw(3) === 0 ? { group_id: pick(groups).id } : { user_id: pick(users).id }
    assign(pick(notOfSystem), holder)
  }

  const access_keys = some(35, () => ({
    ...common(`keys ${serial}`),
    user_id: pick(users).id,
    project_id: pick(projects).id,
    enabled: flag(),
    secret: 'sealed',
    expires_at: null,
    last_used_at: null,
    last_used_ip: '',
  }))
  const identity_providers = some(8, (index) => ({
    ...owned('providers'),
    ...labelled(`${pick(sampleWords)} ${index} of ${label}`),
    driver: 'cas',
    options: casOptions,
    enabled: flag(),
    mapping: '[]',
  }))

  const tables: Insert = {
    domains,
    projects,
    users,
    groups,
    group_members: members,
    ...insert,
    assignments,
    access_keys,
    identity_providers,
  }
  const statements: Statement[] = Object.entries(tables).flatMap(([table, rows]) =>
    rows.map((row) =>
      db
        .insertInto(table as 'settings')
        .values(row as Tables['settings'])
        .compile(),
    ),
  )
  const nothing = { id: '' }
  const events = some(150, () =>
    makeEvent({
      time: createdAt + draw(10) * 60_000,
      action: pick(['login', 'create', 'update', 'delete']),
      target_type: pick(['user', 'project', 'role']),
      target_id: pick([...users, ...projects]).id,
      user_id: pick([...users, nothing]).id,
      project_id: pick([...projects, nothing]).id,
      domain_id: pick([...domains, nothing]).id,
      request_id: `req-${draw(5)}`,
      result: pick(['success', 'failure', 'denied']),
    }),
  )
  await createIdentityWorld(database).change(...statements, ...events.map(createInsertEvent(db)))
  return statements.length + events.length
}
