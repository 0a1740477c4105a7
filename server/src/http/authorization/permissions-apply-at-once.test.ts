import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import type { ErrorBody, Token } from '@muster/contract'
import type { CompiledQuery } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import {
  ask,
  requestToken,
  secretOf,
  tokenIdentity,
  type ClientResponse,
} from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { createPasswordHasher } from '../../vault/password-hasher.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

const password = 'tussocky moorland'

/** A user with a role in a scope; nothing is shared with other tests. */
interface Holder {
  readonly userId: string
  readonly userDomain: string
  readonly projectDomain: string
  readonly project: string
  readonly assignment: string
  readonly inProject: string
  readonly unscoped: string
}

onEngineOfLane('permission changes apply immediately', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform | undefined
  let identities: IdentityWorld
  let passwordHash: string
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') beside = await startPlatform({ engine, beside: platform })
    identities = createIdentityWorld(platform.database)
    passwordHash = await createPasswordHasher(testPasswordCost).hash(password)
  })
  after(async () => {
    await beside?.close()
    await platform.close()
  })

  async function addHolder(): Promise<Holder> {
    const { database } = platform
    const name = newId()
    const userDomain = await identities.addDomain(`users ${name}`)
    const projectDomain = await identities.addDomain(`projects ${name}`)
    const project = await identities.addProject(name, projectDomain)
    const userId = await identities.addUser({ name, domainId: userDomain, passwordHash })
    const assignment = await identities.assign({
      role: 'project_viewer',
      userId,
      projectId: project,
    })
    const inProject = await insertToken(database, {
      userId,
      scope: { kind: 'project', id: project },
    })
    const unscoped = await insertToken(database, { userId })
    return { userId, userDomain, projectDomain, project, assignment, inProject, unscoped }
  }

  const statusAt = async (node: TestPlatform, token: string) =>
    (await ask(node.url, '/v3/auth/catalog', { token })).status

  /** The other process applies the change within five seconds. */
  async function statusesBeside(tokens: readonly string[], awaited: number): Promise<number[]> {
    if (!beside) return tokens.map(() => awaited)
    const node = beside
    const look = () => Promise.all(tokens.map((token) => statusAt(node, token)))
    const end = performance.now() + 5_000
    let statuses = await look()
    while (performance.now() < end && statuses.some((status) => status !== awaited)) {
      await pause(50)
      statuses = await look()
    }
    return statuses
  }

  async function isAccepted(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) {
      // Twice: the second response comes from the cache.
      for (const node of [platform, platform, beside, beside]) {
        if (node) assert.equal(await statusAt(node, token), 200)
      }
    }
  }

  async function isRejected(tokens: readonly string[]): Promise<void> {
    const here = await Promise.all(tokens.map((token) => statusAt(platform, token)))
    assert.deepEqual(
      here,
      tokens.map(() => 401),
      'in this process, at the next request',
    )
    assert.deepEqual(await statusesBeside(tokens, 401), here, 'on the other node, in 5 seconds')
  }

  const read = () => platform.database.db
  const enable = (table: 'users' | 'projects' | 'domains', id: string, enabled: 0 | 1) =>
    read().updateTable(table).set({ enabled }).where('id', '=', id).compile()

  /** Changes and the tokens of a user that they end. */
  const changes: Record<
    string,
    { ends: 'all' | 'those of the project'; statements: (holder: Holder) => CompiledQuery[] }
  > = {
    'the user is disabled': {
      ends: 'all',
      statements: ({ userId }) => [enable('users', userId, 0)],
    },
    'the user is deleted': {
      ends: 'all',
      statements: ({ userId }) => [read().deleteFrom('users').where('id', '=', userId).compile()],
    },
    'the password is changed': {
      ends: 'all',
      statements: ({ userId }) => [
        read()
          .updateTable('users')
          .set({ password_hash: 'new' })
          .where('id', '=', userId)
          .compile(),
        read().deleteFrom('tokens').where('user_id', '=', userId).compile(),
      ],
    },
    "the user's domain is disabled": {
      ends: 'all',
      statements: ({ userDomain }) => [enable('domains', userDomain, 0)],
    },
    "the project's domain is disabled": {
      ends: 'those of the project',
      statements: ({ projectDomain }) => [enable('domains', projectDomain, 0)],
    },
    'the project is disabled': {
      ends: 'those of the project',
      statements: ({ project }) => [enable('projects', project, 0)],
    },
    'the project is deleted': {
      ends: 'those of the project',
      statements: ({ project }) => [
        read().deleteFrom('projects').where('id', '=', project).compile(),
      ],
    },
    'the role is removed': {
      ends: 'those of the project',
      statements: ({ assignment }) => [
        read().deleteFrom('assignments').where('id', '=', assignment).compile(),
      ],
    },
  }

  describe('a token is rejected at the next request, and in another process within 5 seconds', () => {
    for (const [what, { ends, statements }] of Object.entries(changes)) {
      test(`SEC-02: when ${what}`, async () => {
        const holder = await addHolder()
        const bystander = await addHolder()
        const { inProject, unscoped } = holder
        await isAccepted([inProject, unscoped, bystander.inProject])
        await identities.change(...statements(holder))
        await isRejected(ends === 'all' ? [inProject, unscoped] : [inProject])
        // Other users and other scopes are not affected.
        await isAccepted([bystander.inProject, ...(ends === 'all' ? [] : [unscoped])])
      })
    }

    test('SEC-02: when it is revoked in the other process', async () => {
      const { inProject, unscoped } = await addHolder()
      const node = beside ?? platform
      await isAccepted([inProject])
      const { status } = await ask(node.url, '/v3/auth/tokens', {
        method: 'DELETE',
        token: unscoped,
        headers: { 'x-subject-token': inProject },
      })
      assert.equal(status, 204)
      assert.equal(await statusAt(node, inProject), 401)
      const end = performance.now() + 5_000
      while ((await statusAt(platform, inProject)) !== 401 && performance.now() < end)
        await pause(50)
      assert.equal(await statusAt(platform, inProject), 401)
    })
  })

  describe('the permissions of a token', () => {
    /** Uses a permission of the token's roles: inspects the token of another user. */
    const inspect = async (token: string, subject: string) =>
      (
        await ask(platform.url, '/v3/auth/tokens', {
          token,
          headers: { 'x-subject-token': subject },
        })
      ).status
    /** From another address, so that the token is required. */
    const readMetrics = async (token: string) =>
      (await ask(platform.url, '/metrics', { token, headers: { 'x-forwarded-for': '192.0.2.1' } }))
        .status
    const describeOwn = async (token: string) =>
      (
        await ask<{ token: Token }>(platform.url, '/v3/auth/tokens', {
          token,
          headers: { 'x-subject-token': token },
        })
      ).body.token

    async function addRuler() {
      const name = newId()
      await identities.addRole(name, 'system', [
        { service: 'identity', resource: '*', action: 'get', effect: 'allow' },
      ])
      const { id: roleId } = await read()
        .selectFrom('roles')
        .where('name', '=', name)
        .select('id')
        .executeTakeFirstOrThrow()
      return { name, roleId, holder: await addHolder(), other: await addHolder() }
    }

    async function mayRule({ inProject }: Holder, other: Holder): Promise<boolean> {
      const statuses = [await inspect(inProject, other.inProject), await readMetrics(inProject)]
      if (statuses.every((status) => status === 200)) return true
      // The token itself is still valid, only without that role.
      assert.deepEqual([...statuses, await statusAt(platform, inProject)], [404, 403, 200])
      return false
    }

    test('SEC-03: grow and shrink with the roles of its user', async () => {
      const { name, holder, other } = await addRuler()
      assert.equal(await mayRule(holder, other), false)
      assert.deepEqual((await describeOwn(holder.inProject)).policies.System, [])

      const assignment = await identities.assign({ role: name, userId: holder.userId })
      assert.equal(await mayRule(holder, other), true)
      const token = await describeOwn(holder.inProject)
      assert.deepEqual(token.policies.System, [`${name}_policy`])
      assert.ok(token.roles.some((role) => role.name === name))

      await identities.change(
        read().deleteFrom('assignments').where('id', '=', assignment).compile(),
      )
      assert.equal(await mayRule(holder, other), false)
      const { roles, policies, role_assignments } = await describeOwn(holder.inProject)
      assert.deepEqual(
        roles.map((role) => role.name),
        ['project_viewer'],
      )
      assert.deepEqual(policies.System, [])
      assert.equal(role_assignments.length, 1)
    })

    const losses: Record<
      string,
      (held: { roleId: string; group: string; userId: string }) => CompiledQuery
    > = {
      'leaves a group with a role': ({ group, userId }) =>
        read()
          .deleteFrom('group_members')
          .where('group_id', '=', group)
          .where('user_id', '=', userId)
          .compile(),
      'is in a group that is deleted': ({ group }) =>
        read().deleteFrom('groups').where('id', '=', group).compile(),
      'has a role that is deleted': ({ roleId }) =>
        read().deleteFrom('roles').where('id', '=', roleId).compile(),
      'has a role that loses its policy': ({ roleId }) =>
        read().deleteFrom('role_policies').where('role_id', '=', roleId).compile(),
      'has a role whose policy is disabled': ({ roleId }) =>
        read()
          .updateTable('policies')
          .set({ enabled: 0 })
          .where('id', 'in', (eb) =>
            eb.selectFrom('role_policies').select('policy_id').where('role_id', '=', roleId),
          )
          .compile(),
      'has a role whose policy is changed': ({ roleId }) =>
        read()
          .updateTable('policies')
          .set({ rules: '[]' })
          .where('id', 'in', (eb) =>
            eb.selectFrom('role_policies').select('policy_id').where('role_id', '=', roleId),
          )
          .compile(),
    }
    for (const [what, lose] of Object.entries(losses)) {
      test(`SEC-03: shrink when its user ${what}`, async () => {
        const { name, roleId, holder, other } = await addRuler()
        const { userId } = holder
        const group = await identities.addGroup(newId(), [userId])
        await identities.assign({ role: name, groupId: group })
        assert.equal(await mayRule(holder, other), true)
        await identities.change(lose({ roleId, group, userId }))
        assert.equal(await mayRule(holder, other), false)
      })
    }
  })

  describe('a disabled project or domain', () => {
    const rescope = (token: string, scope?: unknown) =>
      requestToken(platform.url, {
        identity: tokenIdentity(token),
        ...(scope !== undefined && { scope }),
      })
    const logIn = ({ userId }: Holder, scope?: unknown) =>
      requestToken(platform.url, {
        identity: { methods: ['password'], password: { user: { id: userId, password } } },
        ...(scope !== undefined && { scope }),
      })
    const refusalOf = ({ status, body }: ClientResponse<ErrorBody>) => {
      const { code, class: errorClass, details } = body
      return { status, code, errorClass, details }
    }

    test('SEC-04: issues and accepts no tokens until it is enabled again', async () => {
      const holder = await addHolder()
      const { inProject, unscoped, project, projectDomain } = holder
      await identities.assign({
        role: 'domain_viewer',
        userId: holder.userId,
        domainId: projectDomain,
      })
      const toProject = { project: { id: project } }
      const toDomain = { domain: { id: projectDomain } }
      const inDomain = secretOf(await rescope(unscoped, toDomain))
      const unknownProject = refusalOf(await rescope(unscoped, { project: { id: 'never was' } }))
      assert.equal(unknownProject.status, 401)

      for (const [table, id, inPlace, requestedScopes] of [
        ['projects', project, [inProject], [toProject]],
        ['domains', projectDomain, [inProject, inDomain], [toProject, toDomain]],
      ] as const) {
        await identities.change(enable(table, id, 0))
        for (const requestedScope of requestedScopes) {
          for (const answer of [
            await rescope(unscoped, requestedScope),
            await logIn(holder, requestedScope),
          ]) {
            assert.deepEqual(refusalOf(answer), unknownProject)
          }
        }
        for (const token of inPlace) {
          assert.equal(await statusAt(platform, token), 401)
          // It cannot be exchanged for another scope either.
          assert.deepEqual(refusalOf(await rescope(token)), unknownProject)
        }
        const { projects } = (await rescope(unscoped)).body.token
        assert.deepEqual(projects, [])

        await identities.change(enable(table, id, 1))
        for (const requestedScope of requestedScopes) {
          assert.equal((await rescope(unscoped, requestedScope)).status, 201)
        }
        for (const token of inPlace) assert.equal(await statusAt(platform, token), 200)
      }
    })

    test('SEC-04: is not used as the default project', async () => {
      const holder = await addHolder()
      await identities.change(
        read()
          .updateTable('users')
          .set({ default_project_id: holder.project })
          .where('id', '=', holder.userId)
          .compile(),
      )
      const projectOf = async () => (await logIn(holder)).body.token.project.Id
      assert.equal(await projectOf(), holder.project)
      await identities.change(enable('projects', holder.project, 0))
      assert.equal(await projectOf(), '')
      await identities.change(
        enable('projects', holder.project, 1),
        enable('domains', holder.projectDomain, 0),
      )
      assert.equal(await projectOf(), '')
    })

    test('SEC-04: users of a disabled domain cannot log in, by password or by token', async () => {
      for (const table of ['users', 'domains'] as const) {
        const holder = await addHolder()
        const id = table === 'users' ? holder.userId : holder.userDomain
        assert.equal((await logIn(holder)).status, 201)
        await identities.change(enable(table, id, 0))
        const wrong = await requestToken(platform.url, {
          identity: { methods: ['password'], password: { user: { id: 'nobody', password } } },
        })
        for (const answer of [await logIn(holder), await rescope(holder.unscoped)]) {
          assert.deepEqual(refusalOf(answer), refusalOf(wrong))
          assert.equal(answer.status, 401)
        }
        await identities.change(enable(table, id, 1))
        assert.equal((await logIn(holder)).status, 201)
      }
    })
  })
})
