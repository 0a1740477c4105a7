import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type OperationId } from '@muster/contract'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { requests } from '../../testing/platform-world/persona-requests.ts'
import type { Parts } from '../../testing/platform-world/request-kinds.ts'
import { rowsOf } from '../../testing/platform-world/persona-table.ts'
import {
  nonexistentResources,
  type Resources,
} from '../../testing/platform-world/persona-resources.ts'
import {
  personaNames,
  type PersonaCall,
  startPlatformWorld,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { changedTables } from '../../testing/platform-world/snapshots.ts'

const changing = operations.map(({ id }) => id).filter((id) => requests[id].changes !== undefined)

/** The tables that may record a rejected request. */
const tales = new Set(['events', 'login_attempts', 'login_origins'])

/** Built-in resources: deleting any of them would remove the last administrator. */
interface Pillars {
  readonly userId: string
  readonly projectId: string
  readonly adminRoleId: string
  readonly ownerRoleId: string
  readonly policyId: string
}

/** Bodies that conflict with existing resources. */
const conflicts: Readonly<
  Partial<Record<OperationId, (resources: Resources, pillars: Pillars, parts: Parts) => Parts[]>>
> = {
  createDomain: ({ domainName }) => [{ body: { domain: { name: domainName } } }],
  updateDomain: ({ domainName }, _, parts) => [
    { path: { id: 'default' }, body: { domain: { name: ` ${domainName.toUpperCase()}`.trim() } } },
    { path: { id: 'default' }, body: { domain: { enabled: false } } },
    { ...parts, body: { domain: { name: 'DEFAULT' } } },
  ],
  deleteDomain: ({ domainId }) => [{ path: { id: domainId } }, { path: { id: 'default' } }],
  createProject: ({ projectName, domainId }) => [
    { body: { project: { name: projectName, domain_id: domainId } } },
  ],
  updateProject: ({ projectName, spareProjectId }, { projectId }) => [
    { path: { id: spareProjectId }, body: { project: { name: projectName } } },
    { path: { id: projectId }, body: { project: { enabled: false } } },
  ],
  deleteProject: (_, { projectId }) => [{ path: { id: projectId } }],
  createUser: ({ userName, domainId }) => [
    { body: { user: { name: userName, domain_id: domainId } } },
  ],
  updateUser: ({ userName, newcomerId }, { userId }) => [
    { path: { id: newcomerId }, body: { user: { name: userName } } },
    { path: { id: userId }, body: { user: { enabled: false } } },
    { path: { id: userId }, body: { user: { password: null } } },
  ],
  deleteUser: (_, { userId }) => [{ path: { id: userId } }],
  createGroup: ({ groupName, domainId }) => [
    { body: { group: { name: groupName, domain_id: domainId } } },
  ],
  updateGroup: ({ groupName, idleGroupId }) => [
    { path: { id: idleGroupId }, body: { group: { name: groupName } } },
  ],
  createRole: ({ roleName }) => [{ body: { role: { name: roleName } } }],
  updateRole: ({ roleName }, { adminRoleId }) => [
    { path: { id: adminRoleId }, body: { role: { name: roleName } } },
  ],
  deleteRole: (_, { adminRoleId, ownerRoleId }) => [
    { path: { id: adminRoleId } },
    { path: { id: ownerRoleId } },
  ],
  unbindPolicy: (_, { adminRoleId, policyId }) => [
    { path: { id: adminRoleId, policy_id: policyId } },
  ],
  createPolicy: ({ policyName }, _, { body }) => [
    { body: { policy: { ...(body as { policy: object }).policy, name: policyName } } },
  ],
  updatePolicy: ({ policyName, loosePolicyId }, { policyId }) => [
    { path: { id: loosePolicyId }, body: { policy: { name: policyName } } },
    { path: { id: policyId }, body: { policy: { enabled: false } } },
  ],
  deletePolicy: (_, { policyId }) => [{ path: { id: policyId } }],
  revokeSystemUserRole: (_, { userId, adminRoleId }) => [
    { path: { user_id: userId, role_id: adminRoleId } },
  ],
  revokeProjectUserRole: (_, { userId, projectId, ownerRoleId }) => [
    { path: { id: projectId, user_id: userId, role_id: ownerRoleId } },
  ],
  createIdentityProvider: ({ providerName }, _, { body }) => [
    {
      body: {
        identity_provider: {
          ...(body as { identity_provider: object }).identity_provider,
          name: providerName,
        },
      },
    },
  ],
}

/** The status for what does not exist, where it is no 404. */
const missing: Readonly<Partial<Record<OperationId, number>>> = {
  issueToken: 401,
  setFirstPassword: 401,
  // A list, which is refused as a whole.
  linkLogins: 409,
}

onEngineOfLane('every rejected change', (engine) => {
  let running: RunningPlatformWorld
  let resources: Resources
  let foreign: Resources
  let pillars: Pillars
  before(async () => {
    running = await startPlatformWorld(engine)
    const { organisation, platform } = running
    const { db } = platform.database
    resources = await organisation.addResources('home')
    foreign = await organisation.addResources('otherDomain')
    const idOf = async (table: 'users' | 'projects' | 'roles' | 'policies', name: string) =>
      (await db.selectFrom(table).where('name', '=', name).select('id').executeTakeFirstOrThrow())
        .id
    pillars = {
      userId: await idOf('users', 'sysadmin'),
      projectId: await idOf('projects', 'system'),
      adminRoleId: await idOf('roles', 'admin'),
      ownerRoleId: await idOf('roles', 'project_owner'),
      policyId: await idOf('policies', 'system_admin'),
    }
    // Users without a password cannot log in: only the first administrator counts.
    await platform.database.commitIdentity([
      db
        .updateTable('users')
        .set({ password_hash: null })
        .where('id', '<>', pillars.userId)
        .compile(),
    ])
  })
  after(() => running.platform.close())

  /** The error in a request, and the expected status. */
  function refusalsOf(id: OperationId): [string, number, PersonaCall][] {
    const { organisation } = running
    const { token } = organisation.persona('admin')
    const refusals: [string, number, PersonaCall][] = []
    const statuses = {
      unauthenticated: 401,
      forbidden: 403,
      notFound: 404,
      badRequest: 400,
      conflict: 409,
    } as const
    // One case for each kind of rejection; the persona table covers all callers.
    const byOutcome = new Map<string, [string, number, PersonaCall]>()
    for (const [spot, row] of rowsOf(id)) {
      for (const name of spot === 'otherDomain' || spot === 'home' ? personaNames : []) {
        const outcome = row[name]
        if (outcome === 'allowed' || outcome === 'notListed') continue
        const target = spot === 'home' ? resources : foreign
        const errand = { resources: target, token: organisation.persona(name).token }
        byOutcome.set(outcome, [`${name}, ${spot}`, statuses[outcome], errand])
      }
    }
    refusals.push(...byOutcome.values())
    const bad = (what: string, edit: (parts: Parts) => Parts, status: number) =>
      refusals.push([what, status, { resources, token, edit }])
    // A creation has no path id that could be unknown.
    if (!/^(?:create|testNew)/.test(id)) {
      refusals.push([
        'what never was',
        missing[id] ?? 404,
        { resources: nonexistentResources(resources), token },
      ])
    }
    bad('a body that is none', (parts) => ({ ...parts, body: '{"' }), 400)
    bad('a body of another shape', (parts) => ({ ...parts, body: { shape: 'other' } }), 400)
    bad('an unknown parameter', (parts) => ({ ...parts, query: { force: 'true' } }), 400)
    bad(
      'another type',
      ({ headers, ...parts }) => ({
        ...parts,
        headers: { ...headers, 'content-type': 'text/xml' },
      }),
      415,
    )
    const parts = requests[id].parts({ resources, token, isDone: false })
    for (const [index, conflict] of (conflicts[id]?.(resources, pillars, parts) ?? []).entries()) {
      bad(`conflict ${index + 1}`, () => conflict, 409)
    }
    return refusals
  }

  for (const id of changing) {
    test(`SEC-11: of ${id} leaves all tables unchanged`, async () => {
      const { organisation, takeSnapshot } = running
      const earlier = await takeSnapshot()
      for (const [what, expected, errand] of refusalsOf(id)) {
        const { status, text } = await organisation.call(id, errand)
        assert.equal(status, expected, `${what}: ${text}`)
      }
      const changed = changedTables(earlier, await takeSnapshot())
      assert.deepEqual(
        changed.filter((table) => !tales.has(table)),
        [],
      )
    })
  }

  test('SEC-11: every kind of rejection was covered', () => {
    const statuses = changing.flatMap((id) => refusalsOf(id).map(([, status]) => status))
    assert.deepEqual(new Set(statuses), new Set([400, 401, 403, 404, 409, 415]))
    assert.ok(changing.length > 40, String(changing.length))
  })
})
