import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  grantPath,
  openIdentityApi,
  type IdentityApi,
  type OwnRole,
} from '../../testing/identity-world/open-identity-api.ts'
import { parseRule } from '../../testing/identity-world/parse-rule.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** A system administrator; nothing is shared with other tests. */
interface Ruler {
  readonly id: string
  readonly domainId: string
  readonly role: OwnRole
  readonly groupId: string
  readonly groupDomain: string
  readonly project: string
  readonly projectDomain: string
  readonly projectRole: string
  readonly provider: string
}

/** How the administrator gets the role and logs in. */
interface Throne {
  readonly through?: 'group'
  readonly by?: 'provider'
}

type Request = readonly [method: string, path: string, body?: object]
/** The setup, and the change that would lock the administrator out. */
type Way = (ruler: Ruler) => Request | Promise<Request>

onEngineOfLane('the last system administrator', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let adminRole: string
  /** Has all permissions but cannot log in, and so does not count. */
  let deputy: string
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    adminRole = identityApi.role('admin')
    const person = await identityApi.addCaller({ system: [adminRole] })
    deputy = person.token
    keep = person.id
    await retireAll()
  })
  afterEach(() => retireAll())
  after(() => platform.close())

  let keep = ''
  /** Removes the administrator of the previous test. */
  const retireAll = () => {
    const { db, commitIdentity } = platform.database
    const retire = db.updateTable('users').set({ enabled: 0 }).where('id', '<>', keep)
    return commitIdentity([retire.compile()])
  }

  const enthrone = ({ through, by }: Throne = {}): Promise<Ruler> =>
    identityApi.add((plan) => {
      const domainId = plan.domain()
      const groupDomain = plan.domain()
      const projectDomain = plan.domain()
      const id = plan.user(domainId, by === 'provider' ? null : 'of a password')
      const provider = plan.provider(domainId)
      if (by === 'provider') plan.subject(provider, id)
      const groupId = plan.group(groupDomain, id)
      const role = plan.role('system', 'allow * * *')
      plan.grant(role.id, through === 'group' ? { group: groupId } : { user: id }, 'system')
      const project = plan.project(projectDomain)
      const projectRole = plan.role('project', 'allow compute servers get').id
      plan.grant(projectRole, { user: id }, { project })
      return {
        id,
        domainId,
        role,
        groupId,
        groupDomain,
        project,
        projectDomain,
        projectRole,
        provider,
      }
    })

  const send = ([method, path, body]: Request) => identityApi.call(deputy, method, path, body)

  const change =
    (kind: string, key: string, id: (ruler: Ruler) => string, changes: object): Way =>
    (ruler) => ['PUT', `/v3/${kind}/${id(ruler)}`, { [key]: changes }]
  const user = (changes: object) => change('users', 'user', ({ id }) => id, changes)
  const policy = (changes: object) =>
    change('policies', 'policy', ({ role }) => role.policyId, changes)
  const remove =
    (path: (ruler: Ruler) => string): Way =>
    (ruler) => ['DELETE', path(ruler)]

  const addBan = () => identityApi.addRole('system', 'deny compute servers delete')

  const ways: Record<string, Way> = {
    'the role is revoked': remove(({ id, role }) => grantPath(role.id, { user: id }, 'system')),
    'the user is disabled': user({ enabled: false }),
    'the user is deleted': remove(({ id }) => `/v3/users/${id}`),
    'the user expires': user({ expires_at: '2020-01-01T00:00:00Z' }),
    'the user gets an expiry date': user({ expires_at: '2099-01-01T00:00:00Z' }),
    'the password is removed': user({ password: null }),
    'the domain is disabled': change('domains', 'domain', ({ domainId }) => domainId, {
      enabled: false,
    }),
    'the only project is disabled': change('projects', 'project', ({ project }) => project, {
      enabled: false,
    }),
    'the only project is deleted': remove(({ project }) => `/v3/projects/${project}`),
    'the domain of the only project is disabled': change(
      'domains',
      'domain',
      ({ projectDomain }) => projectDomain,
      { enabled: false },
    ),
    'the role in the only project is revoked': remove(({ id, project, projectRole }) =>
      grantPath(projectRole, { user: id }, { project }),
    ),
    'the role in the only project is deleted': remove(
      ({ projectRole }) => `/v3/roles/${projectRole}`,
    ),
    'the role is deleted': remove(({ role }) => `/v3/roles/${role.id}`),
    'the policy is unbound from the role': remove(
      ({ role }) => `/v3/roles/${role.id}/policies/${role.policyId}`,
    ),
    'the policy is disabled': policy({ enabled: false }),
    'the policy is deleted': remove(({ role }) => `/v3/policies/${role.policyId}`),
    'the policy is narrowed': policy({ rules: [parseRule('allow identity * *')] }),
    'the policy gets a deny rule': policy({
      rules: ['allow * * *', 'deny compute servers delete'].map(parseRule),
    }),
    'a policy with a deny rule is bound to the role': async ({ role }) => [
      'PUT',
      `/v3/roles/${role.id}/policies/${(await addBan()).policyId}`,
    ],
    'a disabled deny policy is enabled': async ({ role }) => {
      const id = await identityApi.add((plan) => {
        const ban = plan.policy('system', ['deny compute servers delete'], false)
        plan.bind(role.id, ban)
        return ban
      })
      return ['PUT', `/v3/policies/${id}`, { policy: { enabled: true } }]
    },
    'a role with a deny rule is granted': async ({ id }) => [
      'PUT',
      grantPath((await addBan()).id, { user: id }, 'system'),
    ],
    'their group is granted a role with a deny rule': async ({ groupId }) => [
      'PUT',
      grantPath((await addBan()).id, { group: groupId }, 'system'),
    ],
    'they join a group with a deny rule': async ({ id, groupDomain }) => {
      const ban = await addBan()
      const group = await identityApi.add((plan) => {
        const barred = plan.group(groupDomain)
        plan.grant(ban.id, { group: barred }, 'system')
        return barred
      })
      return ['PUT', `/v3/groups/${group}/users/${id}`]
    },
  }

  const waysThroughGroup: Record<string, Way> = {
    'they leave the group': remove(({ id, groupId }) => `/v3/groups/${groupId}/users/${id}`),
    'the group is deleted': remove(({ groupId }) => `/v3/groups/${groupId}`),
    'the role of the group is revoked': remove(({ groupId, role }) =>
      grantPath(role.id, { group: groupId }, 'system'),
    ),
    'the domain of the group is deleted': async ({ groupDomain }) => {
      const disabled = await send([
        'PUT',
        `/v3/domains/${groupDomain}`,
        { domain: { enabled: false } },
      ])
      assert.equal(disabled.status, 200, disabled.text)
      return ['DELETE', `/v3/domains/${groupDomain}`]
    },
  }

  const waysThroughProvider: Record<string, Way> = {
    'the provider is disabled': change(
      'identity_providers',
      'identity_provider',
      ({ provider }) => provider,
      { enabled: false },
    ),
    'the provider is deleted': remove(({ provider }) => `/v3/identity_providers/${provider}`),
  }

  const suites: [string, Throne, Record<string, Way>][] = [
    ['is not locked out', {}, ways],
    ['with the role through a group is not locked out', { through: 'group' }, waysThroughGroup],
    ['who logs in through a provider is not locked out', { by: 'provider' }, waysThroughProvider],
  ]
  for (const [title, throne, table] of suites) {
    describe(title, () => {
      for (const [what, way] of Object.entries(table)) {
        test(`when ${what}: 409, allowed with a second administrator`, async () => {
          const request = await way(await enthrone(throne))
          const [refusal] = await identityApi.assertRefused(409, () => send(request))
          assert.ok(refusal)
          assert.match(assertError(refusal, 'ConflictError').details, /last system administrator/)

          await identityApi.addCaller({ passwordHash: 'of a password', system: [adminRole] })
          const answer = await send(request)
          assert.ok(answer.status === 200 || answer.status === 204, answer.text)
        })
      }
    })
  }

  test('does not count users who cannot administer', async () => {
    const ruler = await enthrone()
    const { db, commitIdentity } = platform.database
    const update = (table: 'users' | 'projects' | 'domains' | 'policies', id: string, to: object) =>
      commitIdentity([db.updateTable(table).set(to).where('id', '=', id).compile()])
    const addCaller = (...system: string[]) =>
      identityApi.addCaller({ passwordHash: 'of a password', system })
    const pretenders: Record<string, () => Promise<unknown>> = {
      'cannot log in': () => identityApi.addCaller({ system: [adminRole] }),
      'is disabled': async () => update('users', (await addCaller(adminRole)).id, { enabled: 0 }),
      'has expired': async () =>
        update('users', (await addCaller(adminRole)).id, { expires_at: 1 }),
      'is in a disabled domain': async () => {
        const domainId = await identityApi.addDomain()
        await identityApi.addCaller({
          passwordHash: 'of a password',
          domainId,
          system: [adminRole],
        })
        await update('domains', domainId, { enabled: 0 })
      },
      'has only a disabled project': async () =>
        update('projects', (await addCaller(adminRole)).projectId, { enabled: 0 }),
      'has no project': async () => {
        await identityApi.add((plan) =>
          plan.grant(adminRole, { user: plan.user('default', 'of a password') }, 'system'),
        )
      },
      'does not have all permissions': async () => {
        const most = ['allow identity * *', 'allow compute * *']
        await addCaller((await identityApi.addRole('system', ...most)).id)
      },
      'has a deny rule': async () => addCaller(adminRole, (await addBan()).id),
      'has a role that includes a deny rule': async () =>
        addCaller((await identityApi.addRole('system', 'allow * * *', 'deny identity users *')).id),
      'has a role whose policy is disabled': async () => {
        const role = await identityApi.addRole('system', 'allow * * *')
        await update('policies', role.policyId, { enabled: 0 })
        await addCaller(role.id)
      },
      'owns a project only': async () =>
        identityApi.addCaller({
          passwordHash: 'of a password',
          project: [identityApi.role('project_owner')],
        }),
    }
    const path = grantPath(ruler.role.id, { user: ruler.id }, 'system')
    for (const [what, appear] of Object.entries(pretenders)) {
      await appear()
      assert.equal((await send(['DELETE', path])).status, 409, `somebody who ${what}`)
    }
  })

  test('changes that do not affect the administrator are allowed', async () => {
    const ruler = await enthrone()
    const bystander = await identityApi.addCaller({ system: [adminRole] })
    const requests: Request[] = [
      ['PUT', `/v3/users/${ruler.id}`, { user: { displayname: 'The last one' } }],
      ['PUT', `/v3/policies/${ruler.role.policyId}`, { policy: { name: 'the last policy' } }],
      ['DELETE', grantPath(adminRole, { user: bystander.id }, 'system')],
      ['DELETE', `/v3/users/${bystander.id}`],
    ]
    for (const request of requests) {
      const answer = await send(request)
      assert.ok(answer.status < 300, answer.text)
    }
  })

  test('the default domain is protected in any case', async () => {
    await identityApi.addCaller({ passwordHash: 'of a password', system: [adminRole] })
    const [answer] = await identityApi.assertRefused(409, () =>
      send(['DELETE', '/v3/domains/default']),
    )
    assert.ok(answer)
    assertError(answer, 'ConflictError')
  })
})
