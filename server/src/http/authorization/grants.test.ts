import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  grantPath,
  openIdentityApi,
  type IdentityApi,
  type Where,
  type Who,
} from '../../testing/identity-world/open-identity-api.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const projectRoles = ['project_owner', 'project_editor', 'project_viewer']
const domainRoles = ['domain_admin', 'domain_viewer']

onEngineOfLane('callers can grant only what they have', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  /** A domain with a project and users, and the same elsewhere. */
  let here: { domain: string; project: string; mate: string; mates: string }
  let elsewhere: typeof here
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    here = await settle()
    elsewhere = await settle()
  })
  after(() => platform.close())

  const settle = () =>
    identityApi.add((plan) => {
      const domain = plan.domain()
      const mate = plan.user(domain)
      return { domain, project: plan.project(domain), mate, mates: plan.group(domain, mate) }
    })

  const role = (name: string) => identityApi.role(name)
  const put = (token: string, name: string, who: Who, where: Where) =>
    identityApi.call(token, 'PUT', grantPath(role(name), who, where))
  const remove = (token: string, name: string, who: Who, where: Where) =>
    identityApi.call(token, 'DELETE', grantPath(role(name), who, where))

  /** A user with one role in one scope, and a token for it. */
  async function appoint(name: string, where: Where): Promise<string> {
    if (where === 'system') return (await identityApi.addCaller({ system: [role(name)] })).token
    const id = await identityApi.add((plan) => {
      const user = plan.user(here.domain)
      plan.grant(role(name), { user }, where)
      return user
    })
    return await identityApi.tokenFor(id, where)
  }

  /** The given roles that the caller can grant and revoke. */
  async function grantable(token: string, who: Who, where: Where, names: readonly string[]) {
    const given: string[] = []
    const before = await identityApi.digest()
    for (const name of names) {
      if ((await put(token, name, who, where)).status !== 204) continue
      assert.equal(await identityApi.holds(role(name), who, where), true)
      given.push(name)
      assert.equal((await remove(token, name, who, where)).status, 204)
    }
    assert.deepEqual(await identityApi.digest(), before)
    return given
  }

  test('a project owner can grant in the project only', async () => {
    const where = { project: here.project }
    const token = await appoint('project_owner', where)
    for (const who of [{ user: here.mate }, { group: here.mates }]) {
      assert.deepEqual(await grantable(token, who, where, projectRoles), projectRoles)
    }
    const sibling = await identityApi.add((plan) => plan.project(here.domain))
    const attempt = (name: string, place: Where) => () =>
      put(token, name, { user: here.mate }, place)
    await identityApi.assertRefused(
      404,
      attempt('project_viewer', { project: sibling }),
      attempt('project_viewer', { project: elsewhere.project }),
    )
    await identityApi.assertRefused(
      403,
      attempt('domain_viewer', { domain: here.domain }),
      attempt('auditor', 'system'),
    )
  })

  test('a domain administrator can grant in the domain and its projects only', async () => {
    const token = await appoint('domain_admin', { domain: here.domain })
    const mate = { user: here.mate }
    const project = { project: here.project }
    const domain = { domain: here.domain }
    assert.deepEqual(await grantable(token, mate, project, projectRoles), projectRoles)
    for (const who of [mate, { group: here.mates }]) {
      assert.deepEqual(await grantable(token, who, domain, domainRoles), domainRoles)
    }
    await identityApi.assertRefused(
      404,
      () => put(token, 'project_viewer', mate, { project: elsewhere.project }),
      () => put(token, 'domain_viewer', mate, { domain: elsewhere.domain }),
    )
    await identityApi.assertRefused(403, () => put(token, 'auditor', mate, 'system'))
  })

  test('a system administrator can grant to everyone everywhere', async () => {
    const foreigner = { user: elsewhere.mate }
    for (const [where, names] of [
      [{ project: here.project }, projectRoles],
      [{ domain: here.domain }, domainRoles],
      ['system', ['auditor', 'admin']],
    ] as const) {
      assert.deepEqual(await grantable(identityApi.admin, foreigner, where, names), names)
    }
  })

  test('viewers and editors cannot grant, not even their own role', async () => {
    const mate = { user: here.mate }
    const places = {
      project_editor: { project: here.project },
      project_viewer: { project: here.project },
      domain_viewer: { domain: here.domain },
      auditor: 'system',
    } as const
    const attempts = await Promise.all(
      Object.entries(places).map(async ([name, where]) => {
        const token = await appoint(name, where)
        return [name, identityApi.bare].map((given) => () => put(token, given, mate, where))
      }),
    )
    await identityApi.assertRefused(403, ...attempts.flat())
  })

  test('a role can be granted only in a scope of one of its policies: 400 elsewhere', async () => {
    const places = {
      system: 'system',
      domain: { domain: here.domain },
      project: { project: here.project },
    } as const
    for (const [name, fits] of [
      ['admin', 'system'],
      ['domain_viewer', 'domain'],
      ['project_viewer', 'project'],
    ]) {
      const misfits = Object.entries(places).filter(([kind]) => kind !== fits)
      const attempts = misfits.flatMap(([, where]) =>
        [{ user: here.mate }, { group: here.mates }].map(
          (who) => () => put(identityApi.admin, name ?? '', who, where),
        ),
      )
      for (const answer of await identityApi.assertRefused(400, ...attempts)) {
        const { fields } = assertError(answer, 'InputParameterError')
        assert.deepEqual(
          fields?.map(({ path }) => path),
          ['role_id'],
        )
      }
    }
    // A role without policies can be granted anywhere and gives nothing.
    for (const where of Object.values(places)) {
      const given = await grantable(identityApi.admin, { user: here.mate }, where, [
        identityApi.bare,
      ])
      assert.deepEqual(given, [identityApi.bare])
    }
  })

  test('SEC-62: users of another domain are treated as unknown, except for system administrators', async () => {
    const project = { project: here.project }
    const owner = await appoint('project_owner', project)
    const domainAdmin = await appoint('domain_admin', { domain: here.domain })
    const attempts = (who: Who) =>
      [put, remove].flatMap((act) => [
        () => act(owner, 'project_viewer', who, project),
        () => act(domainAdmin, 'project_viewer', who, project),
        () => act(domainAdmin, 'domain_viewer', who, { domain: here.domain }),
      ])
    for (const [foreign, unknown] of [
      [{ user: elsewhere.mate }, { user: newId() }],
      [{ group: elsewhere.mates }, { group: newId() }],
    ] as const) {
      const [seen, absent] = [
        await identityApi.assertRefused(404, ...attempts(foreign)),
        await identityApi.assertRefused(404, ...attempts(unknown)),
      ]
      assert.deepEqual(seen.map(comparableParts), absent.map(comparableParts))
    }
  })

  test('a project owner can revoke a role granted by a system administrator', async () => {
    const where = { project: here.project }
    const guest = { user: elsewhere.mate }
    const owner = await appoint('project_owner', where)
    await identityApi.add((plan) => plan.grant(role('project_viewer'), guest, where))
    assert.equal((await remove(owner, 'project_viewer', guest, where)).status, 204)
    assert.equal(await identityApi.holds(role('project_viewer'), guest, where), false)
    // And cannot grant it again.
    assert.equal((await put(owner, 'project_viewer', guest, where)).status, 404)
  })

  test('a repeated grant changes nothing and is recorded once; a repeated revocation is 404', async () => {
    const where = { project: here.project }
    const own = await identityApi.addRole('project', 'allow compute servers get')
    for (const who of [{ user: here.mate }, { group: here.mates }]) {
      const told = async (action: string) =>
        (await identityApi.events(`action=${action}&target_id=${Object.values(who)[0]}`)).filter(
          ({ changes }) => JSON.stringify(changes).includes(own.name),
        ).length
      for (let time = 0; time < 2; time += 1) {
        assert.equal((await put(identityApi.admin, own.id, who, where)).status, 204)
        assert.equal(await told('grant'), 1)
      }
      assert.equal((await remove(identityApi.admin, own.id, who, where)).status, 204)
      await identityApi.assertRefused(404, () => remove(identityApi.admin, own.id, who, where))
      assert.equal(await told('revoke'), 1)
    }
  })

  test('permission on role assignments alone allows granting only that permission', async () => {
    const places = [
      ['system', 'system', ['admin', 'auditor']],
      ['domain', { domain: here.domain }, domainRoles],
      ['project', { project: here.project }, projectRoles],
    ] as const
    const assigner = 'allow identity role_assignments *'
    const mate = { user: here.mate }
    for (const [scope, where, stronger] of places) {
      const own = await identityApi.addRole(scope, assigner)
      const narrower = await identityApi.addRole(scope, 'allow identity role_assignments create')
      const wider = await identityApi.addRole(scope, assigner, 'allow compute servers get')
      const token = await appoint(own.id, where)
      const within = [own.id, narrower.id, identityApi.bare]
      assert.deepEqual(await grantable(token, mate, where, within), within)
      await identityApi.assertRefused(
        403,
        ...[wider.id, ...stronger].flatMap((name) => [
          () => put(token, name, mate, where),
          () => put(token, name, { group: here.mates }, where),
        ]),
      )
    }
  })

  test('nobody can remove a deny rule on what they are not allowed to do', async () => {
    const own = await identityApi.addRole('system', 'allow identity role_assignments *')
    const ban = await identityApi.addRole('system', 'deny identity users create')
    const clerk = await identityApi.addCaller({ system: [own.id, ban.id] })
    const reader = await identityApi.addRole('system', 'allow identity users get')
    const mild = await identityApi.addRole('system', 'deny identity role_assignments delete')
    const other = await identityApi.addCaller({ system: [ban.id, reader.id, mild.id] })
    await identityApi.assertRefused(
      403,
      ...[clerk, other].map(
        ({ id }) =>
          () =>
            remove(clerk.token, ban.id, { user: id }, 'system'),
      ),
    )
    // They can revoke roles that only allow, and deny rules on what they are allowed to do.
    for (const { id } of [reader, mild]) {
      assert.equal((await remove(clerk.token, id, { user: other.id }, 'system')).status, 204)
    }
  })

  test('a disabled deny policy does not restrict a role', async () => {
    const where = { project: here.project }
    const assigner = 'allow identity role_assignments *'
    const token = await appoint((await identityApi.addRole('project', assigner)).id, where)
    const wide = await identityApi.addRole('project', assigner, 'allow compute * *')
    const ban = await identityApi.add((plan) => {
      const policy = plan.policy('project', ['deny compute * *'], false)
      plan.bind(wide.id, policy)
      return policy
    })
    const attempt = () => put(token, wide.id, { user: here.mate }, where)
    await identityApi.assertRefused(403, attempt)
    // Once it is enabled, the role gives nothing that they lack.
    await identityApi.order('PUT', `/v3/policies/${ban}`, { policy: { enabled: true } })
    assert.equal((await attempt()).status, 204)
  })
})
