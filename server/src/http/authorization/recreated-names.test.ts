import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
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

onEngineOfLane('a recreated name', (engine) => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let passwordHash: string
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    identities = createIdentityWorld(platform.database)
    passwordHash = await createPasswordHasher(testPasswordCost).hash(password)
  })
  after(() => platform.close())

  type Table = 'users' | 'projects' | 'domains' | 'groups' | 'roles' | 'policies'
  const remove = (table: Table, name: string) =>
    identities.change(platform.database.db.deleteFrom(table).where('name', '=', name).compile())
  const statusOf = async (token: string) =>
    (await ask(platform.url, '/v3/auth/projects', { token })).status
  const rescope = (token: string, scope?: unknown) =>
    requestToken(platform.url, { identity: tokenIdentity(token), ...(scope ? { scope } : {}) })

  /** A user with an unscoped token. */
  async function addUser(name: string): Promise<{ userId: string; token: string }> {
    const userId = await identities.addUser({ name, passwordHash })
    return { userId, token: await insertToken(platform.database, { userId }) }
  }

  test('SEC-16: a recreated user has no roles or tokens of the first', async () => {
    const old = await addUser('alice')
    const group = await identities.addGroup('friends of alice', [old.userId])
    const projectId = await identities.addProject("alice's")
    await identities.assign({ role: 'project_owner', userId: old.userId, projectId })
    await identities.assign({ role: 'project_viewer', groupId: group, projectId })
    await identities.assign({ role: 'admin', userId: old.userId })
    const scoped = await insertToken(platform.database, {
      userId: old.userId,
      scope: { kind: 'project', id: projectId },
    })
    const child = secretOf(await rescope(scoped))
    assert.deepEqual(await Promise.all([old.token, scoped, child].map(statusOf)), [200, 200, 200])

    await remove('users', 'alice')
    const userId = await identities.addUser({ name: 'alice', passwordHash })
    assert.notEqual(userId, old.userId)
    assert.deepEqual(await Promise.all([old.token, scoped, child].map(statusOf)), [401, 401, 401])

    const answer = await requestToken(platform.url, {
      identity: passwordIdentity('alice', password),
    })
    const { user, role_assignments, projects } = answer.body.token
    assert.equal(user.Id, userId)
    assert.deepEqual([role_assignments, projects], [[], []])
    const scope = { project: { id: projectId } }
    assert.equal((await rescope(secretOf(answer), scope)).status, 401)
    assert.deepEqual(await Promise.all([old.token, scoped, child].map(statusOf)), [401, 401, 401])
  })

  test('SEC-16: a recreated user has no failed logins of the first', async () => {
    await addUser('clumsy')
    const logIn = async (word: string) =>
      (await requestToken(platform.url, { identity: passwordIdentity('clumsy', word) })).status
    for (let time = 0; time < 10; time += 1) assert.equal(await logIn('wrong password'), 401)
    assert.equal(await logIn(password), 401)
    await remove('users', 'clumsy')
    await addUser('clumsy')
    assert.equal(await logIn(password), 201)
  })

  test('SEC-16: a recreated project has no members', async () => {
    const { userId, token } = await addUser('builder')
    const scope = { project: { name: 'phoenix', domain: { id: 'default' } } }
    const old = await identities.addProject('phoenix')
    await identities.assign({ role: 'project_owner', userId, projectId: old })
    const scoped = secretOf(await rescope(token, scope))
    assert.equal(await statusOf(scoped), 200)

    await remove('projects', 'phoenix')
    const project = await identities.addProject('phoenix')
    assert.notEqual(project, old)
    assert.equal(await statusOf(scoped), 401)
    assert.equal((await rescope(token, scope)).status, 401)
    assert.equal((await rescope(token, { project: { id: old } })).status, 401)

    // A role in the new project does not restore the old token.
    await identities.assign({ role: 'project_owner', userId, projectId: project })
    assert.equal((await rescope(token, scope)).body.token.project.Id, project)
    assert.equal(await statusOf(scoped), 401)
  })

  test('SEC-16: a recreated domain has no users', async () => {
    const { userId, token } = await addUser('governor')
    const scope = { domain: { name: 'atlantis' } }
    const old = await identities.addDomain('atlantis')
    await identities.assign({ role: 'domain_admin', userId, domainId: old })
    await identities.addUser({ name: 'citizen', domainId: old, passwordHash })
    const scoped = secretOf(await rescope(token, scope))
    assert.equal(await statusOf(scoped), 200)

    await remove('domains', 'atlantis')
    assert.notEqual(await identities.addDomain('atlantis'), old)
    assert.equal(await statusOf(scoped), 401)
    assert.equal((await rescope(token, scope)).status, 401)
    const citizen = { name: 'citizen', domain: { name: 'atlantis' }, password }
    const identity = { methods: ['password'], password: { user: citizen } }
    assert.equal((await requestToken(platform.url, { identity })).status, 401)
  })

  test('SEC-16: a recreated group or role gives nothing to holders of the first', async () => {
    const { userId, token } = await addUser('member')
    const projectId = await identities.addProject('club')
    const scope = { project: { id: projectId } }
    const isIn = async () => (await rescope(token, scope)).status === 201

    const group = await identities.addGroup('club members', [userId])
    await identities.assign({ role: 'project_viewer', groupId: group, projectId })
    assert.equal(await isIn(), true)
    await remove('groups', 'club members')
    await identities.addGroup('club members', [userId])
    assert.equal(await isIn(), false)

    await identities.addRole('visitor', 'project', [])
    await identities.assign({ role: 'visitor', userId, projectId })
    assert.equal(await isIn(), true)
    await remove('roles', 'visitor')
    await remove('policies', 'visitor_policy')
    await identities.addRole('visitor', 'project', [])
    assert.equal(await isIn(), false)
  })
})
