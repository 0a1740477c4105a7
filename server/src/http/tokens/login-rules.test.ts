import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { noLoginRules, type LoginRulesRequest } from '@muster/contract'
import { assertError } from '../../testing/assert-error.ts'
import { ask, secretOf } from '../../testing/client.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  elsewhere,
  office,
  officeNetwork,
  startLoginRuleWorld,
  type LoginRuleWorld,
} from '../../testing/login-rule-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import type { TestPlatform } from '../../testing/start-platform.ts'

const minute = 60_000
const hour = 60 * minute

onEngineOfLane('rules of a domain about logins', (engine) => {
  const lifetime = suiteLifetime()
  let world: LoginRuleWorld
  /** Another node on PostgreSQL. SQLite has one node. */
  let second: TestPlatform | undefined
  let ada: string
  let guard: string
  before(async () => {
    world = await startLoginRuleWorld(lifetime, engine)
    ada = await world.addUser('ada')
    guard = await world.addUser('guard', { break_glass: 1 })
    if (engine === 'postgres') {
      second = await world.startNode()
    }
  })
  after(() => second?.close())
  beforeEach(async () => {
    world.time.now = world.start
    const answer = await world.setRules(noLoginRules)
    assert.equal(answer.status, 200, answer.text)
  })

  const nodes = () => [world.first, ...(second ? [second] : [])]
  const logInAs = async (id: string, ip = office) =>
    secretOf(await world.logIn(world.passwordOf(id), ip))
  const rescope = async (token: string, ip = office) =>
    secretOf(await world.logIn(world.tokenIdentity(token), ip))
  const plant = (method: string, changes: object = {}) =>
    insertToken(world.first.database, {
      userId: ada,
      scope: { kind: 'project', id: world.project },
      method,
      issuedAt: world.time.now,
      expiresAt: world.time.now + 24 * hour,
      login: { at: world.time.now, method },
      ...changes,
    })
  const set = async (rules: LoginRulesRequest) => {
    const answer = await world.setRules(rules)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.login_rules
  }
  async function logInWithKey(id: string) {
    const key = await world.keys.makeKey(await logInAs(id), { project_id: world.project })
    return secretOf(await world.logIn(keyIdentity(world.keys.present('own', key))))
  }
  async function assertStatus(token: string, expected: number, ip = office, what = '') {
    for (const node of nodes()) {
      const where = node === second ? 'second node' : 'first node'
      // The second node polls for changes.
      for (let tries = 0; tries < 100; tries += 1) {
        if ((await world.use(token, ip, node)) === expected) break
        await new Promise((resolve) => void setTimeout(resolve, 20))
      }
      assert.equal(await world.use(token, ip, node), expected, `${what} ${where}`)
    }
  }

  test('are off in every domain, and shown on the domain', async () => {
    const shown = await ask<{ domain: { login_rules: unknown } }>(
      world.first.url,
      `/v3/domains/${world.domain}`,
      { token: world.admin },
    )
    assert.deepEqual(shown.body.domain.login_rules, noLoginRules)
    await set({ session_idle: 600, networks: [office] })
    const after = await ask<{ domain: { login_rules: unknown } }>(
      world.first.url,
      `/v3/domains/${world.domain}`,
      { token: world.admin },
    )
    assert.deepEqual(after.body.domain.login_rules, {
      ...noLoginRules,
      session_idle: 600,
      networks: [`${office}/32`],
    })
  })

  describe('the lifetime of tokens', () => {
    /** Each kind of token, and its login an hour ago. */
    const kinds: Record<string, () => Promise<string>> = {
      'of a password': () => logInAs(ada),
      'issued from another': async () => rescope(await logInAs(ada)),
      'of an access key': () => logInWithKey(ada),
      'of a break-glass user': () => logInAs(guard),
      'of a provider': () => plant('oidc'),
      'of a workload': () => plant('workload'),
    }
    for (const [kind, make] of Object.entries(kinds)) {
      test(`ends tokens ${kind} that exist, at the limit`, async () => {
        const token = await make()
        world.time.now += hour
        await set({ token_lifetime: 3_601 })
        await assertStatus(token, 200)
        world.time.now += 1_000
        await assertStatus(token, 401)
      })

      test(`bounds new tokens ${kind}`, async () => {
        await set({ token_lifetime: 3_600 })
        const token = await make()
        world.time.now += hour - 1
        await assertStatus(token, 200)
        world.time.now += 1
        await assertStatus(token, 401)
      })
    }

    test('counts from the login, however often a token is exchanged', async () => {
      let token = await logInAs(ada)
      world.time.now += 50 * minute
      token = await rescope(token)
      world.time.now += 5 * minute
      await set({ token_lifetime: 3_600 })
      token = await rescope(token)
      world.time.now += 5 * minute
      await assertStatus(token, 401)
    })

    test('is the end that the token tells', async () => {
      await set({ token_lifetime: 3_600 })
      const answer = await world.logIn(world.passwordOf(ada))
      assert.equal(Date.parse(answer.body.token.expires_at), world.time.now + hour)
      await set({ token_lifetime: 1_800 })
      const shown = await ask<{ token: { expires_at: string } }>(
        world.first.url,
        '/v3/auth/tokens',
        { token: secretOf(answer), headers: { 'x-subject-token': secretOf(answer) } },
      )
      assert.equal(Date.parse(shown.body.token.expires_at), world.time.now + hour / 2)
    })

    test('does not bind users of other domains', async () => {
      await set({ token_lifetime: 300 })
      world.time.now += hour
      await assertStatus(world.admin, 200)
    })
  })

  describe('networks', () => {
    test('refuse a login from elsewhere as any failed login, with the reason in the audit log', async () => {
      await set({ networks: [officeNetwork] })
      await logInAs(ada)
      const answer = await world.logIn(world.passwordOf(ada), elsewhere)
      const wrong = await world.logIn(world.passwordOf(ada, 'not the password'), elsewhere)
      const withoutId = (text: string) => text.replaceAll(/req-[\w-]+/g, '')
      assert.equal(answer.status, 401)
      assert.equal(withoutId(answer.text), withoutId(wrong.text))
      const { body } = await ask<{ events: { changes: Record<string, unknown> }[] }>(
        world.first.url,
        `/events?action=login&user_id=${ada}&limit=5`,
        { token: world.admin },
      )
      assert.match(JSON.stringify(body.events), /address outside of the networks of the domain/)
    })

    const kinds: Record<string, { make: () => Promise<string>; isBound: boolean }> = {
      'of a password': { make: () => logInAs(ada), isBound: true },
      'issued from another': { make: async () => rescope(await logInAs(ada)), isBound: true },
      'of CAS': { make: () => plant('cas'), isBound: true },
      'of a person at a provider': { make: () => plant('oidc'), isBound: true },
      'of a program at a provider': {
        make: () => plant('oidc', { login: { at: world.time.now, method: 'program' } }),
        isBound: true,
      },
      'of a break-glass user': { make: () => logInAs(guard), isBound: false },
      'of a workload': { make: () => plant('workload'), isBound: false },
      'of an access key': {
        make: () => logInWithKey(ada),
        isBound: false,
      },
    }
    for (const [kind, { make, isBound }] of Object.entries(kinds)) {
      test(`${isBound ? 'bind' : 'do not bind'} tokens ${kind}, at each use`, async () => {
        const token = await make()
        await assertStatus(token, 200, elsewhere, 'before')
        await set({ networks: [officeNetwork] })
        await assertStatus(token, isBound ? 401 : 200, elsewhere, 'after')
        await assertStatus(token, 200, office, 'from the office')
        const exchanged = await world.logIn(world.tokenIdentity(token), elsewhere)
        assert.equal(exchanged.status, isBound ? 401 : 201, exchanged.text)
        const fresh = await rescope(token)
        await assertStatus(fresh, isBound ? 401 : 200, elsewhere, 'exchanged')
        await set({ networks: [] })
        await assertStatus(token, 200, elsewhere, 'lifted')
      })
    }

    test('are those of the client, not of who asks about its token', async () => {
      const token = await logInAs(ada)
      await set({ networks: [officeNetwork] })
      const answer = await ask(world.first.url, '/v3/auth/tokens', {
        token: world.admin,
        headers: { ...world.from(elsewhere), 'x-subject-token': token },
      })
      assert.equal(answer.status, 200, answer.text)
    })

    test('let break-glass users in, which is an alert from elsewhere only', async () => {
      await set({ networks: [officeNetwork] })
      const count = async () => {
        const { body } = await ask<{ events: unknown[] }>(
          world.first.url,
          `/events?action=break_glass_login&user_id=${guard}`,
          { token: world.admin },
        )
        return body.events.length
      }
      const earlier = await count()
      await logInAs(guard)
      assert.equal(await count(), earlier)
      const token = await logInAs(guard, elsewhere)
      assert.equal(await count(), earlier + 1)
      await rescope(token, elsewhere)
      assert.equal(await count(), earlier + 1)
    })

    test('bind a user whose mark ends, at once', async () => {
      const token = await logInAs(guard)
      await set({ networks: [officeNetwork] })
      await assertStatus(token, 200, elsewhere)
      const mark = (break_glass: number) =>
        world.identities.change(
          world.first.database.db
            .updateTable('users')
            .set({ break_glass })
            .where('id', '=', guard)
            .compile(),
        )
      await mark(0)
      await assertStatus(token, 401, elsewhere)
      await mark(1)
      await assertStatus(token, 200, elsewhere)
    })

    test('tell the address that they refuse', async () => {
      const token = await logInAs(ada)
      await set({ networks: [officeNetwork] })
      const answer = await ask(world.first.url, `/v3/users/${ada}/password`, {
        method: 'POST',
        token,
        headers: world.from(elsewhere),
        body: { user: { original_password: 'x', password: 'y' } },
      })
      assertError(answer, 'UnauthorizedError')
      assert.match(answer.text, new RegExp(elsewhere.replaceAll('.', String.raw`\.`)))
    })
  })

  describe('are changed', () => {
    test('only the ones that the request names', async () => {
      await set({ token_lifetime: 3_600, networks: [officeNetwork] })
      const { networks, token_lifetime } = await set({ session_idle: 600 })
      assert.deepEqual([networks, token_lifetime], [[officeNetwork], 3_600])
      assert.equal((await set({ token_lifetime: null })).token_lifetime, null)
    })

    test('not with networks without the address of the author', async () => {
      for (const domain of [world.domain, 'default']) {
        const answer = await world.setRules({ networks: ['192.0.2.0/24'] }, { of: domain })
        assertError(answer, 'ConflictError')
        assert.match(answer.text, /does not contain your own address 198\.51\.100\.7/)
        const preview = await world.setRules(
          { networks: ['192.0.2.0/24'], dry_run: true },
          { of: domain },
        )
        assert.equal(preview.status, 200, preview.text)
        assert.match(preview.body.login_rules.problem, /your own address/)
      }
    })

    test('not so that they could exclude the last system administrator', async () => {
      // Somebody with a role on the system, but not one who can administer everything.
      await world.identities.addRole('rule_maker', 'system', [
        { service: 'identity', resource: 'domains', action: '*', effect: 'allow' },
      ])
      const id = await world.addUser('rule maker')
      await world.identities.assign({ role: 'rule_maker', userId: id })
      const token = await logInAs(id)
      const request = { networks: [officeNetwork] }
      const refused = await world.setRules(request, { token, of: 'default' })
      assertError(refused, 'ConflictError')
      assert.match(refused.text, /last system administrator/)
      assert.equal((await world.setRules(request, { token })).status, 200)
      const mark = (break_glass: number) =>
        world.identities.change(
          world.first.database.db
            .updateTable('users')
            .set({ break_glass })
            .where('id', '=', world.adminId)
            .compile(),
        )
      await mark(1)
      const allowed = await world.setRules(request, { token, of: 'default' })
      assert.equal(allowed.status, 200, allowed.text)
      await world.setRules({ networks: [] }, { of: 'default' })
      await mark(0)
      await world.identities.change(
        world.first.database.db.deleteFrom('users').where('id', '=', id).compile(),
      )
    })

    test('by administrators of the domain, unless it has users with a role on the system', async () => {
      const id = await world.identities.addUser({ name: 'domain admin', domainId: world.domain })
      await world.identities.assign({ role: 'domain_admin', userId: id, domainId: world.domain })
      const token = await plant('password', {
        userId: id,
        scope: { kind: 'domain', id: world.domain },
      })
      assert.equal((await world.setRules({ session_idle: 600 }, { token })).status, 200)
      const other = await world.setRules({ session_idle: 600 }, { token, of: 'default' })
      assertError(other, 'ResourceNotFoundError')
      const role = await world.identities.assign({ role: 'admin', userId: ada })
      const refused = await world.setRules({ session_idle: null }, { token })
      assertError(refused, 'ForbiddenError')
      assert.match(refused.text, /role on the system/)
      await world.identities.change(
        world.first.database.db.deleteFrom('assignments').where('id', '=', role).compile(),
      )
    })

    test('not with a token of an access key', async () => {
      const id = await world.addUser('key owner', {}, 'project_owner')
      await world.identities.assign({ role: 'admin', userId: id })
      const token = await logInWithKey(id)
      assertError(await world.setRules({ session_idle: 600 }, { token }), 'ForbiddenError')
      await world.identities.change(
        world.first.database.db.deleteFrom('users').where('id', '=', id).compile(),
      )
    })

    const wrong: Record<string, [request: object, path: string]> = {
      'a lifetime that is too short': [{ token_lifetime: 299 }, 'login_rules.token_lifetime'],
      'a text as time': [{ session_idle: '600' }, 'login_rules.session_idle'],
      'a name as network': [{ networks: ['office'] }, 'login_rules.networks.0'],
      'bits after the prefix': [{ networks: ['198.51.100.7/24'] }, 'login_rules.networks.0'],
    }
    for (const [what, [request, path]] of Object.entries(wrong)) {
      test(`not with ${what}`, async () => {
        const answer = await world.setRules(request)
        const { fields } = assertError(answer, 'InputParameterError') as {
          fields?: readonly { path: string }[]
        }
        assert.equal(fields?.[0]?.path, path)
      })
    }

    test('after a preview of who is affected', async () => {
      const person = await world.addUser('previewed')
      await logInAs(person, elsewhere)
      world.time.now += hour
      const rules = { token_lifetime: 3_600, networks: [officeNetwork] }
      const preview = await set({ ...rules, dry_run: true })
      assert.ok(preview.ended_tokens >= 1)
      assert.ok(preview.outside_users.some(({ id }) => id === person))
      assert.equal(preview.problem, '')
      const again = await set({ dry_run: true })
      assert.deepEqual(
        [again.networks, again.ended_tokens, again.outside],
        [[], 0, 0],
        'a preview changes nothing',
      )
      await set(rules)
      assert.equal((await set({ ...rules, dry_run: true })).ended_tokens, 0, 'they ended')
    })
  })

  test('hold after a restart', async () => {
    const token = await logInAs(ada)
    await set({ token_lifetime: 3_600, networks: [officeNetwork] })
    const restarted = await world.restart()
    assert.equal(await world.use(token, elsewhere, restarted), 401)
    assert.equal(await world.use(token, office, restarted), 200)
    world.time.now += hour
    assert.equal(await world.use(token, office, restarted), 401)
  })
})
