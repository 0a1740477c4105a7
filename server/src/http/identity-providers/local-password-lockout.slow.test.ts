import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertError } from '../../testing/assert-error.ts'
import {
  ask,
  requestToken,
  secretOf,
  tokenIdentity,
  type ClientResponse,
} from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import type { LinkablePerson } from '../../testing/link-world.ts'
import {
  startLocalPasswordWorld,
  type LocalPasswordWorld,
} from '../../testing/local-password-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

interface Cast {
  /** The only administrator of the system with a password. */
  readonly ruler: LinkablePerson
  /** The other of the last two break-glass users. */
  readonly guard: LinkablePerson
}
type Change = (target: LinkablePerson, cast: Cast) => Promise<ClientResponse>

onEngineOfLane('nobody locks the administrator out', (engine) => {
  const lifetime = suiteLifetime()
  let world: LocalPasswordWorld
  let token: string
  let policyId: string
  before(async () => {
    world = await startLocalPasswordWorld(lifetime, engine)
    const { db, commitIdentity } = world.muster.database
    // The token of the setup stays, whatever happens to passwords.
    const token = db.updateTable('tokens').set({ method: 'token' })
    await commitIdentity([token.where('user_id', '=', world.adminId).compile()])
    const policy = db.selectFrom('policies').select('id').where('name', '=', 'system_admin')
    policyId = (await policy.executeTakeFirstOrThrow()).id
  })

  /** Two break-glass users, one of them an administrator, and one who logs in at the provider. */
  async function begin({ isRestricted }: { isRestricted: boolean }): Promise<Cast> {
    const { db, commitIdentity } = world.muster.database
    await commitIdentity([
      db.updateTable('identity_providers').set({ enabled: 1 }).where('enabled', '=', 0).compile(),
      db.updateTable('users').set({ password_hash: null }).where('break_glass', '>=', 0).compile(),
      db.updateTable('domains').set({ enabled: 1 }).where('enabled', '=', 0).compile(),
    ])
    await world.reset()
    token = await world.logInChief(world.chief.subject)
    const user = { break_glass: true }
    const cast = { ruler: await world.addUser(user), guard: await world.addUser(user) }
    await succeed('PUT', `/v3/system/users/${cast.ruler.id}/roles/${world.adminRole}`)
    if (isRestricted) assert.equal((await world.restrict(token)).status, 200)
    return cast
  }

  const call = (method: string, path: string, body?: unknown) =>
    world.muster.call<object>(method, path, body, token)
  async function succeed(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, answer.text)
  }

  /** Logs in with the password, and reads what takes a role on the system. */
  async function administers(person: LinkablePerson): Promise<boolean> {
    const login = await world.logIn(world.passwordOf(person.id))
    if (login.status !== 201) return false
    const secret = secretOf(login)
    const { body } = await ask<{ projects: { id: string }[] }>(
      world.muster.url,
      '/v3/auth/projects',
      { token: secret },
    )
    const [project] = body.projects
    if (!project) return false
    const scoped = await requestToken(world.muster.url, {
      identity: tokenIdentity(secret),
      scope: { project: { id: project.id } },
    })
    const path = '/event_deliveries'
    const answer = await ask(world.muster.url, path, { token: secretOf(scoped) })
    return answer.status === 200
  }

  const update =
    (changes: object): Change =>
    ({ id }) =>
      call('PUT', `/v3/users/${id}`, { user: changes })
  const onProvider =
    (method: string, changes?: object): Change =>
    () =>
      call(
        method,
        `/v3/identity_providers/${world.provider}`,
        changes && { identity_provider: changes },
      )

  const changes: Record<string, Change> = {
    disabled: update({ enabled: false }),
    'disabled as climc does': ({ id }) => call('POST', `/v3/users/${id}/disable`, {}),
    deleted: ({ id }) => call('DELETE', `/v3/users/${id}`),
    unmarked: update({ break_glass: false }),
    'without password': update({ password: null }),
    'to expire': update({ expires_at: '2099-01-01T00:00:00Z' }),
    'without role on the system': ({ id }) =>
      call('DELETE', `/v3/system/users/${id}/roles/${world.adminRole}`),
    'without role in a project': async ({ id }) => {
      const role = await world.muster.roleId('project_owner')
      return await call('DELETE', `/v3/projects/${world.project}/users/${id}/roles/${role}`)
    },
    'replaced in the role': async ({ id }, { guard }) => {
      await succeed('PUT', `/v3/system/users/${guard.id}/roles/${world.adminRole}`)
      return await call('DELETE', `/v3/system/users/${id}/roles/${world.adminRole}`)
    },
    'without policy': () => call('PUT', `/v3/policies/${policyId}`, { policy: { enabled: false } }),
    'without project': () =>
      call('PUT', `/v3/projects/${world.project}`, { project: { enabled: false } }),
    'without domain': () => call('PUT', '/v3/domains/default', { domain: { enabled: false } }),
    'without provider': onProvider('PUT', { enabled: false }),
    'without mapping': onProvider('PUT', { mapping: [] }),
    'refused for all others': () => world.restrict(token),
    'allowed for all others': () => world.sendRule({ value: 'on' }, token),
  }
  const needsTwo = new Set([
    'disabled',
    'disabled as climc does',
    'deleted',
    'unmarked',
    'without password',
    'to expire',
  ])

  for (const isRestricted of [true, false]) {
    for (const who of ['ruler', 'guard'] as const) {
      for (const [what, change] of Object.entries(changes)) {
        const where = isRestricted ? 'with the rule' : 'without the rule'
        test(`${who} ${what}, ${where}`, async () => {
          const cast = await begin({ isRestricted })
          const answer = await change(cast[who], cast)
          const isRefused = answer.status === 409
          if (isRefused) assertError(answer, 'ConflictError')
          assert.ok(isRefused || answer.status < 300 || answer.status === 404, answer.text)
          if (isRestricted && needsTwo.has(what)) assert.ok(isRefused, answer.text)
          const able = await Promise.all([cast.ruler, cast.guard].map(administers))
          assert.ok(able.includes(true), `${answer.status} ${answer.text}`)
        })
      }
    }
  }

  test('the rule is refused if no administrator is a break-glass user', async () => {
    const { ruler } = await begin({ isRestricted: false })
    await world.addUser({ break_glass: true })
    await succeed('PUT', `/v3/users/${ruler.id}`, { user: { break_glass: false } })
    const { problem } = await world.preview(token)
    assert.match(problem, /without an identity provider/)
    const answer = await world.restrict(token)
    assert.match(assertError(answer, 'ConflictError').details, /without an identity provider/)
    assert.ok(await administers(ruler))
  })

  test('the rule is refused with one break-glass user, and with two who do not count', async () => {
    const { guard } = await begin({ isRestricted: false })
    for (const change of [
      { break_glass: false },
      { break_glass: true, expires_at: '2099-01-01T00:00:00Z' },
    ]) {
      await succeed('PUT', `/v3/users/${guard.id}`, { user: change })
      assert.match((await world.preview(token)).problem, /two break-glass users/)
      const answer = await world.restrict(token)
      assert.match(assertError(answer, 'ConflictError').details, /two break-glass users/)
    }
  })

  test('with a third break-glass user, one of them may go', async () => {
    const { guard } = await begin({ isRestricted: true })
    const third = await world.addUser({ password: null, break_glass: true })
    const one = ['PUT', `/v3/users/${guard.id}`, { user: { enabled: false } }] as const
    assertError(await call(...one), 'ConflictError')
    await succeed('PUT', `/v3/users/${third.id}`, { user: { password: 'a new enough one' } })
    await succeed(...one)
  })

  test('a provider whose mapping gives the administrator a project cannot take it away', async () => {
    const { ruler } = await begin({ isRestricted: true })
    const owner = await world.muster.roleId('project_owner')
    const subject = await world.link(ruler)
    const mapping = [{ role_id: owner, project_id: world.project }]
    await succeed('PUT', `/v3/identity_providers/${world.provider}`, {
      identity_provider: { mapping },
    })
    const { db, commitIdentity } = world.muster.database
    // As if only the mapping had ever granted it.
    await commitIdentity([
      db
        .updateTable('assignments')
        .set({ provider_id: world.provider })
        .where('user_id', '=', ruler.id)
        .where('project_id', '=', world.project)
        .compile(),
    ])
    await succeed('PUT', `/v3/identity_providers/${world.provider}`, {
      identity_provider: { mapping: [] },
    })
    await world.logInAt(world.oidc, { sub: subject })
    assert.ok(await administers(ruler), 'after a login that would take the role')
    assertError(await onProvider('DELETE')(ruler, { ruler, guard: ruler }), 'ConflictError')
    assert.ok(await administers(ruler), 'after an attempt to delete the provider')
  })

  test('deleting the provider leaves the break-glass users, who lift the rule', async () => {
    const { ruler } = await begin({ isRestricted: true })
    await succeed('DELETE', `/v3/identity_providers/${world.provider}`)
    assert.ok(await administers(ruler))
    const own = await world.rescope(secretOf(await world.logIn(world.passwordOf(ruler.id))))
    assert.equal((await world.sendRule({ value: 'on' }, own)).status, 200)
    assert.equal((await world.ruleOf()).local_passwords, 'on')
  })
})
