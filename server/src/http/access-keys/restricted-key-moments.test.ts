import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { KeyRestrictionInput, Token } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  createKeyHolders,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const minute = 60_000
const start = Date.parse('2026-03-01T08:00:00Z')
const flags = [
  '--login-failures-per-minute=0',
  '--trusted-proxies=127.0.0.1',
  '--public-url=http://muster.test',
]
const inside = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }
const outside = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }

interface Use {
  readonly owner: KeyHolder
  readonly key: HeldKey
  readonly other: { readonly id: string; readonly name: string; readonly assignment: string }
}

onBothEngines('a restricted access key', (engine) => {
  let platform: TestPlatform
  let nodes: TestPlatform[]
  let holders: KeyHolders
  let admin: string
  let now = start
  const clock = () => now
  before(async () => {
    platform = await startPlatform({ engine, clock, flags })
    nodes = [platform]
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') {
      nodes.push(await startPlatform({ engine, clock, flags, beside: platform }))
    }
    holders = createKeyHolders(platform, clock)
    admin = await holders.plantAdmin()
  })
  after(async () => {
    for (const node of nodes.toReversed()) await node.close()
  })

  /** A user who owns two projects and the domain of one, with a key. */
  async function addUse(restriction: KeyRestrictionInput, fields: object = {}): Promise<Use> {
    const owner = await holders.addHolder()
    const { userId, projectDomain } = owner
    const name = `other of ${userId}`
    const id = await holders.identities.addProject(name, projectDomain)
    const role = 'project_owner'
    const assignment = await holders.identities.assign({ role, userId, projectId: id })
    await holders.identities.assign({ role: 'domain_admin', userId, domainId: projectDomain })
    const projects = restriction.projects?.map((each) => (each === 'other' ? id : owner.projectId))
    const wish = { ...restriction, ...(projects && { projects }) }
    const key = await holders.makeOwnKey(owner, { restriction: wish, ...fields })
    return { owner, key, other: { id, name, assignment } }
  }
  const logIn = (key: HeldKey, options: Parameters<KeyHolders['login']>[1] = {}) =>
    holders.login(holders.present('plain', key), { headers: inside, ...options })
  const rescope = (token: string, scope?: unknown, headers = inside) =>
    requestToken(
      platform.url,
      { identity: tokenIdentity(token), ...(scope !== undefined && { scope }) },
      headers,
    )
  const get = (token: string, path: string, headers = inside, node = platform) =>
    ask<{ projects: { name: string }[] }>(node.url, path, { token, headers })
  const write = (token: string, headers = inside, node = platform) =>
    ask(node.url, '/views', {
      method: 'POST',
      token,
      headers,
      body: { view: { name: `view ${Math.random()}`, q: 'x' } },
    })

  /** The token, and those that were issued from it. */
  async function generations(token: string): Promise<string[]> {
    const child = secretOf(await rescope(token))
    return [token, child, secretOf(await rescope(child))]
  }

  test('SEC-08: keeps its restriction after each rescoping, on each node', async () => {
    const { key } = await addUse({ read_only: true })
    const { key: unrestricted } = await addUse({})
    const tokens = await generations(secretOf(await logIn(key)))
    const check = async (node: TestPlatform) => {
      assert.equal((await write(secretOf(await logIn(unrestricted)), inside, node)).status, 201)
      for (const token of tokens) {
        assert.equal((await get(token, '/servers', inside, node)).status, 200)
        const refused = await write(token, inside, node)
        assert.equal(refused.status, 403)
        assert.match(refused.body.details, /access key of your token is restricted.*"create"/)
      }
    }
    for (const node of nodes) await check(node)
  })

  test('a read-only key ends its own token, and no other one', async () => {
    const { key, owner } = await addUse({ read_only: true })
    const token = secretOf(await logIn(key))
    const end = (subject: string) =>
      ask(platform.url, '/v3/auth/tokens', {
        method: 'DELETE',
        token,
        headers: { ...inside, 'x-subject-token': subject },
      })
    assert.equal((await end(owner.token)).status, 403)
    assert.equal((await get(owner.token, '/v3/auth/catalog')).status, 200)
    assert.equal((await end(token)).status, 204)
    assert.equal((await get(token, '/v3/auth/catalog')).status, 401)
  })

  describe('never does more than its user', () => {
    test('a demoted user demotes the key', async () => {
      const { key, owner } = await addUse({ projects: ['own'] })
      const [token = ''] = await generations(secretOf(await logIn(key)))
      const server = `/servers/none/start`
      const act = (node = platform) =>
        ask(node.url, server, { method: 'POST', token, headers: inside, body: {} })
      for (const node of nodes) assert.equal((await act(node)).status, 404)
      const { userId, projectId } = owner
      await holders.identities.assign({ role: 'project_viewer', userId, projectId })
      await holders.identities.change(
        platform.database.db.deleteFrom('assignments').where('id', '=', owner.assignment).compile(),
      )
      for (const node of nodes) {
        await eventually('it is demoted', async () => (await act(node)).status === 403)
        assert.equal((await get(token, '/servers', inside, node)).status, 200)
      }
    })

    test('a project that the user leaves is gone, also from the names', async () => {
      const { key, owner, other } = await addUse({ projects: ['own', 'other'] })
      const there = { project: { id: other.id } }
      const token = secretOf(await logIn(key, { scope: there }))
      const own = secretOf(await logIn(key))
      const namesOf = async (secret: string) => {
        const { body } = await get(secret, '/v3/auth/projects')
        return body.projects.map(({ name }) => name).toSorted()
      }
      assert.deepEqual(await namesOf(own), [owner.projectName, other.name].toSorted())
      await holders.identities.change(
        platform.database.db.deleteFrom('assignments').where('id', '=', other.assignment).compile(),
      )
      for (const node of nodes) {
        await eventually(
          'the token ends',
          async () => (await get(token, '/servers', inside, node)).status === 401,
        )
      }
      assert.deepEqual(await namesOf(own), [owner.projectName])
      assert.equal((await logIn(key, { scope: there })).status, 401)
      secretOf(await logIn(key))
    })

    test('the project of the key is deleted, and its tokens for other projects end', async () => {
      const { key, owner, other } = await addUse({ projects: ['own', 'other'] })
      const token = secretOf(await logIn(key, { scope: { project: { id: other.id } } }))
      const removed = await ask(platform.url, `/v3/projects/${owner.projectId}`, {
        method: 'DELETE',
        token: admin,
      })
      assert.equal(removed.status, 204, removed.text)
      for (const node of nodes) {
        await eventually(
          'the token ends',
          async () => (await get(token, '/servers', inside, node)).status === 401,
        )
      }
      assert.equal((await logIn(key)).status, 401)
    })
  })

  test('SEC-35: no token of it outlives it', async () => {
    const expires_at = new Date(now + 10 * minute).toISOString().replace('.000', '')
    const { key } = await addUse({ read_only: true }, { expires_at })
    const tokens = await generations(secretOf(await logIn(key)))
    for (const token of tokens) assert.equal((await get(token, '/servers')).status, 200)
    now += 10 * minute
    for (const node of nodes) {
      for (const token of tokens) {
        assert.equal((await get(token, '/servers', inside, node)).status, 401)
      }
    }
    assert.equal((await logIn(key)).status, 401)
  })

  describe('for some projects', () => {
    test('SEC-08: its tokens are for those, and no others', async () => {
      const { key, owner, other } = await addUse({ projects: ['own', 'other'] })
      const { key: single } = await addUse({ projects: ['own'] })
      const elsewhere = [
        { domain: { id: owner.projectDomain } },
        { project: { id: 'nowhere' } },
        { project: { name: 'system', domain: { name: 'Default' } } },
      ]
      for (const scope of [
        { project: { id: other.id } },
        { project: { name: other.name, domain: { id: owner.projectDomain } } },
      ]) {
        const answer = await logIn(key, { scope })
        assert.equal(answer.body.token.project.Id, other.id)
        const back = await rescope(secretOf(answer), { project: { id: owner.projectId } })
        assert.equal(back.body.token.project.Id, owner.projectId)
        assert.equal((await logIn(single, { scope })).status, 401)
      }
      for (const scope of elsewhere) {
        assert.equal((await logIn(key, { scope })).status, 401)
        const token = secretOf(await logIn(key))
        assert.equal((await rescope(token, scope)).status, 401)
      }
    })

    test('SEC-08: no name of another project is in its token, lists and role assignments', async () => {
      const { key, owner, other } = await addUse({ projects: ['own'] })
      const answer = await logIn(key)
      const tokens = await generations(secretOf(answer))
      assert.ok(!answer.text.includes(other.name) && answer.text.includes(owner.projectName))
      for (const token of tokens) {
        const { body } = await ask<{ token: Token }>(platform.url, '/v3/auth/tokens', {
          token,
          headers: { ...inside, 'x-subject-token': token },
        })
        assert.deepEqual(
          body.token.projects.map(({ Name }) => Name),
          [owner.projectName],
        )
        assert.equal(body.token.role_assignments.length, 1)
        for (const path of [
          '/v3/auth/projects',
          '/v3/auth/domains',
          '/v3/projects',
          `/v3/users/${owner.userId}/projects`,
          '/v3/role_assignments?include_names=true',
          '/v3/credentials',
          '/v3/events',
        ]) {
          const { text } = await get(token, path)
          assert.ok(!text.includes(other.name), path)
          assert.ok(!text.includes(other.id), path)
        }
        const { body: own } = await get(token, `/v3/users/${owner.userId}/projects`)
        assert.deepEqual(
          own.projects.map(({ name }) => name),
          [owner.projectName],
        )
      }
    })

    test('roles on the domain do not count', async () => {
      const { key, owner } = await addUse({ projects: ['own'] })
      const token = secretOf(await logIn(key))
      const body = { project: { name: `new ${owner.name}`, domain_id: owner.projectDomain } }
      const made = await ask(platform.url, '/v3/projects', {
        method: 'POST',
        token,
        headers: inside,
        body,
      })
      assert.equal(made.status, 403)
    })
  })

  describe('for some networks', () => {
    const networks = ['192.0.2.0/24', '2001:db8::/32']
    const addresses: Readonly<Record<string, boolean>> = {
      '192.0.2.0': true,
      '192.0.2.255': true,
      '192.0.3.0': false,
      '198.51.100.7': false,
      '2001:db8:1::7': true,
      '2001:db9::7': false,
      '::ffff:192.0.2.9': true,
      '::ffff:198.51.100.9': false,
      '::1': false,
    }
    for (const [address, isInside] of Object.entries(addresses)) {
      const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
      test(`${address} is ${isInside ? 'accepted' : 'refused'} at login, at rescoping and at each use`, async () => {
        const { key } = await addUse({ networks })
        assert.equal((await logIn(key, { headers })).status, isInside ? 201 : 401)
        for (const token of await generations(secretOf(await logIn(key)))) {
          assert.equal((await rescope(token, undefined, headers)).status, isInside ? 201 : 401)
          for (const node of nodes) {
            // First from inside, so that the token and the response are cached.
            for (const path of ['/servers', '/v3/auth/catalog']) {
              assert.equal((await get(token, path, inside, node)).status, 200)
              assert.equal((await get(token, path, inside, node)).status, 200)
              const answer = await get(token, path, headers, node)
              assert.equal(answer.status, isInside ? 200 : 401, path)
            }
          }
        }
      })
    }

    test('of a feed that takes the key itself, each request counts', async () => {
      const { key } = await addUse({ networks })
      const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`
      const read = async (headers: Record<string, string>) =>
        (
          await ask(platform.url, '/sd/prometheus', {
            headers: { ...headers, authorization },
          })
        ).status
      const statuses = [
        await read(outside),
        await read(inside),
        await read(outside),
        await read(inside),
      ]
      assert.deepEqual(statuses, [401, 200, 401, 200])
    })
  })
})
