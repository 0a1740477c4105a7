import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Impact } from '@muster/contract'
import { requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const counted = [
  'projects',
  'users',
  'groups',
  'assignments',
  'access_keys',
  'identity_providers',
  'group_members',
  'tokens',
] as const

onEngineOfLane('the impact of a deletion', (engine) => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let admin: ContractClient
  let mine: Tenant
  let other: Tenant
  before(async () => {
    platform = await startPlatform({ engine })
    identities = createIdentityWorld(platform.database)
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  let serial = 0
  /** Two domains whose users and projects have roles in each other. */
  async function settle(): Promise<void> {
    serial += 1
    const { database } = platform
    mine = await addTenant(database, `Mine ${serial}`)
    other = await addTenant(database, `Other ${serial}`)
    const { db } = database
    const stranger = await identities.addUser({
      name: 'stranger',
      domainId: other.ids.domains,
      defaultProjectId: mine.ids.projects,
    })
    await identities.assign({
      role: 'project_owner',
      userId: stranger,
      projectId: mine.ids.projects,
    })
    await identities.assign({
      role: 'project_viewer',
      groupId: other.ids.groups,
      projectId: mine.ids.projects,
    })
    await identities.assign({
      role: 'project_viewer',
      userId: mine.ids.users,
      projectId: other.ids.projects,
    })
    await identities.assign({
      role: 'project_viewer',
      groupId: mine.ids.groups,
      projectId: other.ids.projects,
    })
    await identities.assign({
      role: 'domain_viewer',
      userId: stranger,
      domainId: mine.ids.domains,
    })
    await identities.change(
      db
        .insertInto('group_members')
        .values({ group_id: other.ids.groups, user_id: mine.ids.users })
        .compile(),
      db
        .insertInto('access_keys')
        .values({
          id: `key${serial}`,
          name: '',
          name_key: '',
          user_id: stranger,
          project_id: mine.ids.projects,
          enabled: 1,
          secret: 'sealed',
          last_used_ip: '',
          created_at: 0,
        })
        .compile(),
    )
    const scopes = [
      { kind: 'none' },
      { kind: 'project', id: mine.ids.projects },
      { kind: 'domain', id: mine.ids.domains },
    ] as const
    for (const scope of scopes) await insertToken(database, { userId: stranger, scope })
    for (const scope of [
      scopes[0],
      scopes[1],
      { kind: 'project', id: other.ids.projects } as const,
    ]) {
      await insertToken(database, { userId: mine.ids.users, scope })
    }
    // An expired token is not counted.
    await insertToken(database, { userId: mine.ids.users, issuedAt: 0, expiresAt: 1 })
  }

  const defaultsInto = async (ids: readonly string[]) =>
    (
      await platform.database.db
        .selectFrom('users')
        .select('id')
        .where('default_project_id', 'in', ids)
        .execute()
    ).length

  /** The number of rows of each table, without expired tokens. */
  async function count(): Promise<Record<(typeof counted)[number], number>> {
    const { db } = platform.database
    const counts: Partial<Record<string, number>> = {}
    for (const table of counted) {
      const rows: { expires_at?: number | null }[] = await db
        .selectFrom(table as 'tokens')
        .selectAll()
        .execute()
      const isLive = ({ expires_at }: { expires_at?: number | null }) =>
        table !== 'tokens' || (expires_at ?? 0) > Date.now()
      counts[table] = rows.filter(isLive).length
    }
    return counts as Record<(typeof counted)[number], number>
  }

  async function impactAndLoss(noun: 'Domain' | 'Project' | 'User', id: string) {
    const path = { id }
    if (noun === 'Domain') {
      // Disabling already ends the tokens, so the impact is read before it.
      const { impact } = await admin.get<{ impact: Impact }>('getDomainImpact', { path })
      const before = await count()
      await admin.get('updateDomain', { path, body: { domain: { enabled: false } } })
      await admin.get('deleteDomain', { path })
      return { impact, before, now: await count() }
    }
    const { impact } = await admin.get<{ impact: Impact }>(`get${noun}Impact`, { path })
    const before = await count()
    await admin.get(`delete${noun}`, { path })
    return { impact, before, now: await count() }
  }

  test('of a domain includes everything that is deleted with it', async () => {
    await settle()
    const defaults = await defaultsInto([mine.ids.projects])
    const { impact, before, now } = await impactAndLoss('Domain', mine.ids.domains)
    const { default_projects, servers, service_accounts, ...rest } = impact
    assert.equal(servers, 0, 'or it could not be deleted')
    assert.equal(service_accounts, 0, 'those of the domain are deleted with it')
    const { group_members: _, ...lost } = Object.fromEntries(
      counted.map((table) => [table, before[table] - now[table]]),
    )
    assert.deepEqual(rest, lost)
    assert.deepEqual([default_projects, defaults], [1, 1])
    assert.ok(Object.values(rest).every((number) => number > 0))
  })

  test('of a project includes what is deleted with it and who loses access', async () => {
    await settle()
    const { impact, before, now } = await impactAndLoss('Project', mine.ids.projects)
    for (const table of ['assignments', 'access_keys', 'tokens'] as const) {
      assert.equal(impact[table], before[table] - now[table], table)
      assert.ok(impact[table] > 0)
    }
    for (const table of ['users', 'groups', 'identity_providers'] as const) {
      assert.equal(now[table], before[table], `${table} stay`)
    }
    // The member, the outsider, and the member of the other domain's group.
    assert.deepEqual([impact.users, impact.groups], [3, 2])
    assert.deepEqual([impact.projects, impact.identity_providers], [0, 0])
    assert.deepEqual([impact.default_projects, await defaultsInto([mine.ids.projects])], [1, 0])
  })

  test('of a user includes everything that is deleted with the user', async () => {
    await settle()
    const { impact, before, now } = await impactAndLoss('User', mine.ids.users)
    for (const table of ['assignments', 'access_keys', 'tokens'] as const) {
      assert.equal(impact[table], before[table] - now[table], table)
      assert.ok(impact[table] > 0)
    }
    assert.equal(impact.groups, before.group_members - now.group_members)
    assert.deepEqual([impact.groups, now.groups], [2, before.groups])
    const { projects, users, identity_providers, default_projects } = impact
    assert.deepEqual([projects, users, identity_providers, default_projects], [0, 0, 0, 0])
    assert.equal(now.users, before.users - 1)
  })

  test('counts derived tokens, whatever their scope', async () => {
    await settle()
    const { database, url } = platform
    const { userId } = await mine.person('project_owner')
    await identities.assign({ role: 'project_viewer', userId, projectId: other.ids.projects })
    const scope = { kind: 'project', id: mine.ids.projects } as const
    const parent = await insertToken(database, { userId, scope })
    const child = await requestToken(url, {
      identity: tokenIdentity(parent),
      scope: { project: { id: other.ids.projects } },
    })
    secretOf(child)
    const { impact, before, now } = await impactAndLoss('Project', mine.ids.projects)
    assert.equal(impact.tokens, before.tokens - now.tokens)
  })

  test('is available to callers who can read the resource, and changes nothing', async () => {
    await settle()
    const path = { id: mine.ids.projects }
    const { token } = await mine.person('domain_admin')
    const { token: foreign } = await other.person('domain_admin')
    const { token: owner } = await mine.person('project_owner')
    const before = await count()
    await createContractClient(platform.url, token).get('getProjectImpact', { path })
    await createContractClient(platform.url, foreign).fail(
      'ResourceNotFoundError',
      'getProjectImpact',
      { path },
    )
    await createContractClient(platform.url, owner).fail('ForbiddenError', 'getProjectImpact', {
      path,
    })
    await createContractClient(platform.url, token).fail('ForbiddenError', 'getDomainImpact', {
      path: { id: mine.ids.domains },
    })
    for (const operation of ['getDomainImpact', 'getProjectImpact', 'getUserImpact'] as const) {
      await admin.fail('ResourceNotFoundError', operation, { path: { id: 'none' } })
    }
    assert.deepEqual(await count(), before)
  })
})
