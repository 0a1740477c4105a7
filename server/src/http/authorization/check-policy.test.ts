import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { GroupDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { accessKeyRow, groupRow } from '../../testing/identity-world/identity-rows.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { addSubjects, checkPolicy } from '../../testing/identity-world/policy-subjects.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

onEngineOfLane('checking a permission', (engine) => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let admin: ContractClient
  let mine: Tenant
  let foreign: Tenant
  let subjects: Awaited<ReturnType<typeof addSubjects>>
  before(async () => {
    platform = await startPlatform({ engine })
    const { database } = platform
    identities = createIdentityWorld(database)
    admin = await createAdminClient(platform)
    mine = await addTenant(database, 'Mine')
    foreign = await addTenant(database, 'Foreign')
    subjects = await addSubjects(identities, mine)
  })
  after(() => platform.close())

  test('names the deciding rule, policy, role and group', async () => {
    const rule = {
      service: 'identity',
      resource: 'groups',
      action: 'create',
      effect: 'deny',
    } as const
    await identities.addRole('project_no_groups', 'project', [
      { service: 'identity', resource: 'groups', action: '*', effect: 'allow' },
      rule,
    ])
    const { projects, users, groups } = mine.ids
    const reader = await mine.person('project_viewer')
    const group = async () =>
      (await admin.get<{ group: GroupDto }>('getGroup', { path: { id: groups } })).group
    await identities.assign({ role: 'project_no_groups', groupId: groups, projectId: projects })
    const asked = { project_id: projects, resource: 'groups' }
    const denied = await checkPolicy(admin, { user_id: users, ...asked, action: 'create' })
    assert.deepEqual([denied.allowed, denied.reach], [false, null])
    const { decided_by: by } = denied
    assert.deepEqual(by?.rule, rule)
    assert.deepEqual(
      [by?.level, by?.policy.name, by?.role.name],
      ['project', 'project_no_groups_policy', 'project_no_groups'],
    )
    assert.equal(by?.group?.id, groups)
    assert.equal((await group()).name, by?.group?.name)

    const allowed = await checkPolicy(admin, { user_id: reader.userId, ...asked, action: 'list' })
    assert.deepEqual([allowed.allowed, allowed.reach], [true, 'project'])
    assert.deepEqual(allowed.decided_by?.rule, {
      service: '*',
      resource: '*',
      action: 'list',
      effect: 'allow',
    })
    assert.deepEqual(allowed.decided_by?.group, null)
    assert.equal(allowed.decided_by?.role.name, 'project_viewer')

    const unsaid = await checkPolicy(admin, { user_id: reader.userId, ...asked, action: 'delete' })
    assert.deepEqual([unsaid.allowed, unsaid.reach, unsaid.decided_by], [false, null, null])
    const own = await checkPolicy(admin, {
      user_id: reader.userId,
      resource: 'users',
      action: 'get',
    })
    assert.deepEqual([own.allowed, own.reach, own.decided_by], [true, 'self', null])
    const systemwide = subjects.admin
    const wide = await checkPolicy(admin, {
      user_id: systemwide.userId,
      ...systemwide.scope,
      resource: 'users',
      action: 'delete',
    })
    assert.deepEqual([wide.allowed, wide.reach, wide.decided_by?.level], [true, 'system', 'system'])
  })

  test('uses the current rules and only active users', async () => {
    const { userId } = await mine.person('project_viewer')
    const asked = { user_id: userId, resource: 'users', action: 'list' }
    const inProject = { ...asked, project_id: mine.ids.projects }
    assert.equal((await checkPolicy(admin, inProject)).decided_by?.role.name, 'project_viewer')
    for (const scope of [{ project_id: foreign.ids.projects }, { domain_id: mine.ids.domains }]) {
      const { allowed, reach, decided_by } = await checkPolicy(admin, { ...asked, ...scope })
      assert.deepEqual([allowed, reach, decided_by], [false, null, null])
    }
    const { db } = platform.database
    const gone = db.deleteFrom('assignments').where('user_id', '=', userId).compile()
    await identities.change(gone)
    assert.equal((await checkPolicy(admin, inProject)).allowed, false)
    const disabled = db.updateTable('users').set({ enabled: 0 }).where('id', '=', userId).compile()
    await identities.change(disabled)
    assert.equal((await checkPolicy(admin, asked)).allowed, false)
  })

  test('users can check themselves, and others only if they administer them', async () => {
    const others = { mine: mine.ids.users, foreign: foreign.ids.users, absent: newId() }
    const expected: Record<string, readonly (keyof typeof others)[]> = {
      admin: ['mine', 'foreign'],
      auditor: [],
      domain_admin: ['mine'],
      domain_viewer: [],
      project_owner: [],
      project_viewer: [],
      unscoped: [],
    }
    for (const [name, may] of Object.entries(expected)) {
      const { userId, token } = subjects[name as keyof typeof subjects]
      const caller = createContractClient(platform.url, token)
      const check = { resource: 'users', action: 'get' }
      const unnamed = await checkPolicy(caller, check)
      assert.deepEqual(await checkPolicy(caller, { ...check, user_id: userId }), unnamed)
      for (const [whose, user_id] of Object.entries(others)) {
        if (may.includes(whose as 'mine')) await checkPolicy(caller, { ...check, user_id })
        else {
          const error = await caller.fail('InputParameterError', 'checkPolicy', {
            body: { check: { service: 'identity', ...check, user_id } },
          })
          assert.deepEqual(
            error.fields?.map(({ path }) => path),
            ['check.user_id'],
            name,
          )
        }
      }
    }
  })

  test('SEC-62: does not reveal role assignments in scopes the caller cannot read', async () => {
    const { token } = subjects.domain_admin
    const caller = createContractClient(platform.url, token)
    const { userId } = await mine.person('project_viewer')
    await identities.assign({ role: 'project_owner', userId, projectId: foreign.ids.projects })
    await identities.assign({ role: 'domain_admin', userId, domainId: foreign.ids.domains })
    const ask = (check: object) =>
      caller.call('checkPolicy', {
        body: {
          check: {
            service: 'identity',
            resource: 'users',
            action: 'get',
            user_id: userId,
            ...check,
          },
        },
      })
    for (const [name, there] of [
      ['project_id', foreign.ids.projects],
      ['domain_id', foreign.ids.domains],
    ] as const) {
      const [foreignAnswer, noAnswer] = [
        await ask({ [name]: there }),
        await ask({ [name]: newId() }),
      ]
      assert.deepEqual(comparableParts(foreignAnswer), comparableParts(noAnswer))
      assert.equal(noAnswer.body.fields?.[0]?.path, `check.${name}`)
    }
    // A system administrator sees more than the caller.
    const wide = subjects.admin
    const about = (target_id: string) => ask({ user_id: wide.userId, ...wide.scope, target_id })
    const [foreignTarget, noTarget] = [await about(foreign.ids.users), await about(newId())]
    assert.equal(foreignTarget.status, 200)
    assert.deepEqual(comparableParts(foreignTarget), comparableParts(noTarget))
  })

  test('tells that users and groups with a role on the system are protected', async () => {
    const wide = await mine.person('admin')
    const plain = await mine.person('project_viewer')
    const { db } = platform.database
    const addKey = async (userId: string) => {
      const key = accessKeyRow(userId, mine.ids.projects)
      await identities.change(db.insertInto('access_keys').values(key).compile())
      return key.id
    }
    const wideGroup = groupRow('operators', mine.ids.domains)
    await identities.change(db.insertInto('groups').values(wideGroup).compile())
    await identities.assign({ role: 'auditor', groupId: wideGroup.id })
    const targets = [
      ['users', plain.userId, true],
      ['users', wide.userId, false],
      ['groups', mine.ids.groups, true],
      ['groups', wideGroup.id, false],
      ['credentials', await addKey(plain.userId), true],
      ['credentials', await addKey(wide.userId), false],
      ['projects', mine.ids.projects, true],
    ] as const
    const { userId, scope } = subjects.domain_admin
    for (const [resource, target_id, isChangeable] of targets) {
      for (const action of ['get', 'update', 'delete'] as const) {
        const { allowed, reason } = await checkPolicy(admin, {
          user_id: userId,
          ...scope,
          resource,
          target_id,
          action,
        })
        const isAllowed = action === 'get' || isChangeable
        assert.equal(allowed, isAllowed, `${action} ${resource}: ${reason}`)
        if (!isAllowed) assert.match(reason, /has a role on the system/)
      }
    }
    const own = { resource: 'credentials', action: 'delete', target_id: await addKey(wide.userId) }
    const ofTheirOwn = await checkPolicy(admin, { user_id: wide.userId, ...own })
    assert.deepEqual([ofTheirOwn.allowed, ofTheirOwn.reach], [true, 'self'])
  })

  test('invalid input is named', async () => {
    const good = { service: 'identity', resource: 'users', action: 'get' }
    const wrong: [object, string][] = [
      [{ service: 'storage' }, 'check.service'],
      [{ service: '*' }, 'check.service'],
      [{ resource: '*' }, 'check.resource'],
      [{ resource: 'Users' }, 'check.resource'],
      [{ resource: undefined }, 'check.resource'],
      [{ action: '*' }, 'check.action'],
      [{ action: 'read' }, 'check.action'],
      [{ user_id: '' }, 'check.user_id'],
      [{ user_id: null }, 'check.user_id'],
      [{ target_id: 'x'.repeat(65) }, 'check.target_id'],
      [{ project_id: 'a', domain_id: 'b' }, 'check'],
      [{ scope: 'system' }, 'check.scope'],
      [{ resource: 'servers', service: 'compute', target_id: 'x' }, 'check.target_id'],
    ]
    const { token, scope } = subjects.admin
    const caller = createContractClient(platform.url, token)
    for (const [flaw, field] of wrong) {
      const check = { ...good, ...scope, ...flaw }
      const answer = await caller.call('checkPolicy', { body: { check } })
      assert.equal(answer.status, 400, JSON.stringify(flaw))
      assert.ok(
        answer.body.fields?.some(({ path }) => path === field),
        answer.text,
      )
    }
    assert.equal((await admin.call('checkPolicy', { body: {} })).status, 400)
  })

  test('changes nothing', async () => {
    const { token, userId } = await mine.person('project_owner')
    const again = await insertToken(platform.database, { userId })
    const count = async () =>
      (await platform.database.db.selectFrom('events').select('id').execute()).length
    const before = await count()
    const caller = createContractClient(platform.url, token)
    await checkPolicy(caller, { resource: 'domains', action: 'delete' })
    await checkPolicy(createContractClient(platform.url, again), {
      resource: 'domains',
      action: 'list',
    })
    assert.equal(await count(), before)
  })
})
