import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { createErasePasswords } from '../../storage/identity/erase-passwords.ts'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { newId } from '../../domain/new-id.ts'
import { assertError } from '../../testing/assert-error.ts'
import { ask, secretOf, type ClientResponse } from '../../testing/client.ts'
import { makeEvent, makeToken } from '../../testing/identity-world/identity-records.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { userPassword, type LinkablePerson } from '../../testing/link-world.ts'
import {
  startLocalPasswordWorld,
  type LocalPasswordWorld,
} from '../../testing/local-password-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const day = 86_400_000

onEngineOfLane('local passwords for break-glass users only', (engine) => {
  const lifetime = suiteLifetime()
  let world: LocalPasswordWorld
  /** A break-glass user beside the first administrator. */
  let guard: LinkablePerson
  let user: LinkablePerson
  before(async () => {
    world = await startLocalPasswordWorld(lifetime, engine)
    guard = await world.addUser()
    user = await world.addUser()
  })
  beforeEach(() => world.reset([world.adminId, guard.id]))

  const logIn = ({ id }: LinkablePerson, password = userPassword) =>
    world.logIn({ methods: ['password'], password: { user: { id, password } } })
  const restrict = async () => {
    const answer = await world.restrict()
    assert.equal(answer.status, 200, answer.text)
  }

  test('is off in every domain, until somebody restricts it', async () => {
    const { body } = await world.muster.call<{ domains: { local_passwords: string }[] }>(
      'GET',
      '/v3/domains',
    )
    assert.ok(body.domains.length > 1)
    for (const domain of body.domains) assert.equal(domain.local_passwords, 'on')
    const answer = await world.muster.call('PUT', '/v3/domains/default', {
      domain: { local_passwords: 'break_glass' },
    })
    assertError(answer, 'InputParameterError')
  })

  test('is restricted only by who logged in through a provider of the domain', async () => {
    const { preview } = await world.preview()
    const ways: Record<string, readonly [token: string, domain: string]> = {
      'a password': [world.muster.admin, 'default'],
      'an access key': [secretOf(await world.logIn(keyIdentity(world.chief.key))), 'default'],
      'a provider of another domain': [world.chiefToken, world.away],
    }
    for (const [way, [token, domain]] of Object.entries(ways)) {
      const answer = await world.sendRule({ value: 'break_glass', preview }, token, domain)
      assertError(answer, 'ForbiddenError')
      assert.equal((await world.ruleOf(domain)).local_passwords, 'on', way)
    }
    assert.match((await world.preview(world.muster.admin)).problem, /logged in through/)
    assert.equal((await world.preview()).problem, '')
    await restrict()
  })

  test('takes the preview of those who are affected now', async () => {
    assertError(await world.sendRule({ value: 'break_glass' }), 'MissingParameterError')
    const changes: Record<string, (person: LinkablePerson) => Promise<unknown>> = {
      'gets a password': ({ id }) => world.changeUser(id, { password: `${userPassword} 2` }),
      'loses the password': ({ id }) => world.changeUser(id, { password: null }),
      'is linked': (person) => world.link(person),
      'is marked': ({ id }) => world.changeUser(id, { break_glass: true }),
      'is disabled': ({ id }) => world.changeUser(id, { enabled: false }),
    }
    for (const [what, change] of Object.entries(changes)) {
      const person = await world.addUser(what === 'gets a password' ? { password: null } : {})
      const { preview } = await world.preview()
      await change(person)
      const answer = await world.sendRule({ value: 'break_glass', preview })
      assertError(answer, 'ConflictError')
      assert.match(answer.text, /since the preview/, what)
      assert.equal((await world.ruleOf()).local_passwords, 'on', what)
    }
    await restrict()
  })

  test('the preview names who loses access: a password, no other login, not break-glass', async () => {
    const options = [false, true]
    const cases = options.flatMap((hasPassword) =>
      options.flatMap((isMarked) =>
        options.flatMap((isEnabled) =>
          ['none', 'enabled', 'disabled'].map((link) => ({
            hasPassword,
            isMarked,
            isEnabled,
            link,
          })),
        ),
      ),
    )
    const before = await world.preview()
    const expected = { password: 0, access: new Set<string>() }
    for (const { hasPassword, isMarked, isEnabled, link } of cases) {
      const person = await world.addUser({
        ...(!hasPassword && { password: null }),
        break_glass: isMarked,
      })
      if (!isEnabled) await world.changeUser(person.id, { enabled: false })
      if (link === 'enabled') await world.link(person)
      if (link === 'disabled') {
        const links = [world.entry(person, person.id, world.otherProvider)]
        await world.succeed('POST', '/v3/linked_logins', { linked_logins: links })
      }
      if (!hasPassword || isMarked || !isEnabled) continue
      expected.password += 1
      if (link !== 'enabled') expected.access.add(person.name)
    }
    await world.muster.changeProvider(world.otherProvider, { enabled: false })
    const after = await world.preview()
    await world.muster.changeProvider(world.otherProvider, { enabled: true })
    assert.equal(after.lose_password - before.lose_password, expected.password)
    assert.equal(after.lose_access - before.lose_access, expected.access.size)
    const names = new Set(after.lose_access_users.map(({ name }) => name))
    for (const { name } of before.lose_access_users) names.delete(name)
    assert.deepEqual(names, expected.access)
    assert.equal((await world.ruleOf()).local_passwords, 'on')
  })

  test('ends the tokens of refused passwords at once, and no others', async () => {
    const subject = await world.link(user)
    const password = secretOf(await logIn(user))
    const provider = secretOf(await world.logInAt(world.oidc, { sub: subject }))
    const breakGlass = secretOf(await logIn(guard))
    const key = secretOf(await world.logIn(keyIdentity(user.key)))
    const tokens = {
      password: [password, await world.rescope(password)],
      provider: [provider, await world.rescope(provider)],
      breakGlass: [breakGlass, await world.rescope(breakGlass)],
      key: [key],
    }
    const { password: refused, ...kept } = tokens
    await restrict()
    for (const token of refused) assert.equal(await world.muster.statusOf(token), 401)
    for (const token of Object.values(kept).flat()) {
      assert.equal(await world.muster.statusOf(token), 200)
    }
    // The key goes on as well.
    secretOf(await world.logIn(keyIdentity(user.key)))
  })

  test('a refused password is the one 401, and only the audit log has the reason', async () => {
    secretOf(await logIn(user))
    await restrict()
    for (const password of [userPassword, 'not the password']) {
      await world.muster.assertRefused(
        await logIn(user, password),
        /^local passwords are for break-glass users only$/,
        'password',
      )
    }
    await world.muster.assertRefused(
      await logIn({ ...user, id: 'nobody' }),
      /^wrong name, password or second factor/,
      'password',
    )
  })

  test('a login that was checked before the change gets no token after it', async () => {
    const { db } = world.muster.database
    const row = db.selectFrom('users').select('password_hash').where('id', '=', user.id)
    const { password_hash } = await row.executeTakeFirstOrThrow()
    const tokens = createTokenStore(world.muster.database)
    const insert = () =>
      tokens.insert(
        makeToken({ userId: user.id }),
        { password: { hash: password_hash ?? '', isRestricted: false } },
        makeEvent(),
      )
    assert.equal(await insert(), true)
    await restrict()
    assert.equal(await insert(), false)
  })

  test('a break-glass login is an event of its own kind, while the rule is on', async () => {
    const events = () => world.muster.events(`action=break_glass_login&user_id=${guard.id}`)
    secretOf(await logIn(guard))
    assert.deepEqual(await events(), [])
    await restrict()
    await logIn(guard, 'not the password')
    assert.deepEqual(await events(), [])
    const answer = await logIn(guard)
    secretOf(answer)
    const [event, ...more] = await events()
    assert.equal(more.length, 0)
    assert.equal(event?.request_id, answer.headers.get('x-request-id'))
    assert.deepEqual([event.target_type, event.result], ['user', 'success'])
    const [login] = await world.muster.events(`action=login&user_id=${guard.id}`)
    assert.equal(login?.request_id, event.request_id)
  })

  describe('refuses passwords of others', () => {
    const ways: Record<string, (person: LinkablePerson) => Promise<ClientResponse>> = {
      'set by an administrator': ({ id }) => world.changeUser(id, { password: 'a new enough one' }),
      'of a new user': () =>
        world.muster.call(
          'POST',
          '/v3/users',
          { user: { name: newId(), password: userPassword, domain_id: 'default' } },
          world.chiefToken,
        ),
      'by a link': ({ id }) =>
        world.muster.call('POST', `/v3/users/${id}/password-link`, undefined, world.chiefToken),
    }
    for (const [way, request] of Object.entries(ways)) {
      test(`${way}: 409 that names the rule, and not for a break-glass user`, async () => {
        const person = await world.addUser({ password: null })
        await restrict()
        const answer = await request(person)
        assertError(answer, 'ConflictError')
        assert.match(answer.text, /local_passwords/)
        const marked = await world.changeUser(person.id, { break_glass: true })
        assert.equal(marked.status, 200, marked.text)
        if (way === 'of a new user') return
        const allowed = await request(person)
        assert.ok(allowed.status < 300, allowed.text)
      })
    }

    test('that they change themselves', async () => {
      const person = await world.addUser()
      const subject = await world.link(person)
      await restrict()
      const token = secretOf(await world.logInAt(world.oidc, { sub: subject }))
      const body = { user: { original_password: userPassword, password: 'a new enough one' } }
      const answer = await world.muster.call('POST', `/v3/users/${person.id}/password`, body, token)
      assertError(answer, 'ConflictError')
      assert.match(answer.text, /local_passwords/)
    })

    test('with a link from before', async () => {
      const person = await world.addUser({ password: null })
      const { password_link } = await world.succeed<{ password_link: { secret: string } }>(
        'POST',
        `/v3/users/${person.id}/password-link`,
      )
      const use = () =>
        ask(world.muster.url, '/v3/auth/password', {
          method: 'POST',
          body: { secret: password_link.secret, password: 'a new enough one' },
        })
      await restrict()
      assertError(await use(), 'UnauthorizedError')
      await world.reset()
      assert.equal((await use()).status, 200)
    })
  })

  test('a user who is no longer marked loses the password and the tokens', async () => {
    const third = await world.addUser({ break_glass: true })
    await restrict()
    const token = secretOf(await logIn(third))
    assert.equal((await world.changeUser(third.id, { break_glass: false })).status, 200)
    assert.equal(await world.muster.statusOf(token), 401)
    assert.equal((await logIn(third)).status, 401)
    assert.equal((await world.changeUser(third.id, { break_glass: true })).status, 200)
    secretOf(await logIn(third))
  })

  test('can be undone for 30 days, by any administrator; then the passwords are erased', async () => {
    const { database } = world.muster
    const erase = (daysLater: number) =>
      createErasePasswords(database)(Date.now() + daysLater * day)
    const person = await world.addUser()
    await restrict()
    await erase(29.9)
    const adminToken = await world.rescope(secretOf(await logIn(guard)))
    // Administering users takes a role.
    assertError(await world.sendRule({ value: 'on' }, adminToken), 'ForbiddenError')
    assert.equal((await world.sendRule({ value: 'on' })).status, 200)
    secretOf(await logIn(person))
    assert.deepEqual(
      { ...(await world.ruleOf()) },
      { local_passwords: 'on', local_passwords_since: null },
    )

    await restrict()
    const { local_passwords_since: since } = await world.ruleOf()
    assert.equal((await world.restrict()).status, 200)
    assert.deepEqual((await world.ruleOf()).local_passwords_since, since, 'counted from the first')
    await erase(30.1)
    await erase(30.1)
    const [event, ...more] = await world.muster.events('action=erase_passwords')
    assert.ok(event && more.length === 0)
    assert.equal(event.changes['passwords']?.[1], 0)
    secretOf(await logIn(guard))
    assert.equal((await world.sendRule({ value: 'on' })).status, 200)
    assert.equal((await logIn(person)).status, 401)
    secretOf(await world.logIn(keyIdentity(person.key)))
  })

  test('a domain without the rule keeps its passwords for ever', async () => {
    const person = await world.addUser()
    await createErasePasswords(world.muster.database)(Date.now() + 400 * day)
    secretOf(await logIn(person))
  })
})
