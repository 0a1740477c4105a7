import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { LinkResultDto, LinkedLoginDto, NewCredentialDto, UserDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
} from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { startFakeOidc, type FakeOidc } from '../../testing/fake-oidc.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { proof, startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const password = 'unploughed headland'

interface Person {
  readonly id: string
  readonly name: string
  readonly key: string
}

onEngineOfLane('a login at a provider that is linked to a user', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let oidc: FakeOidc
  let other: FakeOidc
  let provider: string
  let otherProvider: string
  let away: string
  let project: string
  let role: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    oidc = await startFakeOidc(lifetime)
    other = await startFakeOidc(lifetime)
    provider = (await muster.addOidc(oidc.issuer, { name: 'acme' })).id
    otherProvider = (await muster.addOidc(other.issuer, { name: 'partners' })).id
    away = await muster.identities.addDomain('away')
    project = await muster.identities.addProject('lab')
    role = await muster.roleId('project_owner')
  })

  const succeed = async <Body>(method: string, path: string, body?: unknown, token?: string) => {
    const answer = await muster.call<Body>(method, path, body, token)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }

  /** Gives a user a role that no mapping knows, and an access key. */
  async function equip({ id, name }: Pick<UserDto, 'id' | 'name'>): Promise<Person> {
    await succeed('PUT', `/v3/projects/${project}/users/${id}/roles/${role}`)
    const wish = { type: 'aksk', user_id: id, project_id: project }
    const { credential } = await succeed<{ credential: NewCredentialDto }>(
      'POST',
      '/v3/credentials',
      { credential: wish },
    )
    return { id, name, key: `${credential.access_key}:${credential.secret}` }
  }
  async function addUser(fields: object = {}): Promise<Person> {
    const wish = { name: newId(), password, domain_id: 'default', ...fields }
    const { user } = await succeed<{ user: UserDto }>('POST', '/v3/users', { user: wish })
    return await equip(user)
  }

  const codeAt = (at: FakeOidc, claims: object) => ({
    provider: at === oidc ? provider : otherProvider,
    code: at.codeFor(at.sign(at.claimsOf({ preferred_username: newId(), ...claims }))),
    iss: at.issuer,
    ...proof,
  })
  /** A login at a provider, which links it to the user of a token. */
  const logInAt = (at: FakeOidc, claims: object, link?: string) =>
    requestToken(muster.url, {
      identity: { methods: ['oidc'], credential: codeAt(at, claims) },
      ...(link !== undefined && { link: { token: link } }),
    })
  const logIn = (identity: object) => requestToken(muster.url, { identity })
  const passwordOf = (id: string) => ({
    methods: ['password'],
    password: { user: { id, password } },
  })
  async function proofOf({ id }: Person): Promise<string> {
    const answer = await logIn(passwordOf(id))
    return answer.status === 201 ? secretOf(answer) : 'mt1_none'
  }

  const send = (linked_logins: readonly object[], dry_run: boolean, token?: string) =>
    muster.call<{ linked_logins: LinkResultDto[] }>(
      'POST',
      '/v3/linked_logins',
      { dry_run, linked_logins },
      token,
    )
  const entry = ({ id: user_id }: Person, subject: string, provider_id = provider) => ({
    user_id,
    provider_id,
    subject,
  })

  /** All that linking must not change, and the links. */
  async function takePicture() {
    const { db } = muster.database
    const users = await db
      .selectFrom('users')
      .select(['id', 'name', 'domain_id', 'enabled', 'password_hash', 'email'])
      .orderBy('id')
      .execute()
    const roles = await db.selectFrom('assignments').selectAll().orderBy('id').execute()
    const keys = await db
      .selectFrom('access_keys')
      .select(['id', 'user_id', 'project_id', 'enabled', 'expires_at'])
      .orderBy('id')
      .execute()
    const links = await db.selectFrom('subjects').selectAll().execute()
    const texts = links.map((row) => `${row.provider_id} ${row.subject} ${row.user_id}`)
    return { rest: { users, roles, keys }, links: texts.sort() }
  }

  describe('by either proof, whoever the user is:', () => {
    type Outcome = 'link' | 'unchanged' | 'refused'
    interface State {
      /** The user, and what the provider says about the person besides the subject. */
      readonly prepare: (subject: string) => Promise<readonly [Person, object?]>
      readonly prove: Outcome
      readonly list: Outcome
      /** Whether the person can log in afterwards. */
      readonly isLocked?: true
    }
    const states: Record<string, State> = {
      'a user with a password': {
        prepare: async () => [await addUser()],
        prove: 'link',
        list: 'link',
      },
      'a user of another provider': {
        async prepare() {
          const answer = await logInAt(other, { sub: newId() })
          const { Id: id, Name: name } = answer.body.token.user
          return [await equip({ id, name })]
        },
        prove: 'refused',
        list: 'link',
      },
      'a user with another subject of this provider': {
        async prepare() {
          const user = await addUser()
          await succeed('POST', '/v3/linked_logins', { linked_logins: [entry(user, newId())] })
          return [user]
        },
        prove: 'refused',
        list: 'refused',
      },
      'a disabled user': {
        async prepare() {
          const user = await addUser()
          await succeed('POST', `/v3/users/${user.id}/disable`, {})
          return [user]
        },
        prove: 'refused',
        list: 'link',
        isLocked: true,
      },
      'a user of another domain': {
        prepare: async () => [await addUser({ domain_id: away })],
        prove: 'refused',
        list: 'refused',
      },
      'a user who has the login already': {
        async prepare(subject) {
          const user = await addUser()
          await succeed('POST', '/v3/linked_logins', { linked_logins: [entry(user, subject)] })
          return [user]
        },
        prove: 'unchanged',
        list: 'unchanged',
      },
      'a subject of somebody else': {
        async prepare(subject) {
          assert.equal((await logInAt(oidc, { sub: subject })).status, 201)
          return [await addUser()]
        },
        prove: 'refused',
        list: 'refused',
      },
      'the subject of somebody else at another issuer': {
        async prepare(subject) {
          assert.equal((await logInAt(other, { sub: subject })).status, 201)
          return [await addUser()]
        },
        prove: 'link',
        list: 'link',
      },
      'a name that differs by case': {
        async prepare() {
          const user = await addUser({ name: `ada-${newId()}`, email: 'ada@example.org' })
          return [user, { preferred_username: user.name.toUpperCase(), email: 'ADA@example.org' }]
        },
        prove: 'link',
        list: 'link',
      },
    }
    /** Each tries to link a subject, and returns what happened. */
    const ways = {
      async prove(user: Person, subject: string, claims: object): Promise<Outcome> {
        const before = (await takePicture()).links
        const answer = await logInAt(oidc, { sub: subject, ...claims }, await proofOf(user))
        if (answer.status !== 201) {
          await muster.assertRefused(answer, /^OIDC: |disabled/)
          return 'refused'
        }
        assert.equal(answer.body.token.user.Id, user.id)
        return (await takePicture()).links.length > before.length ? 'link' : 'unchanged'
      },
      async list(user: Person, subject: string): Promise<Outcome> {
        const before = await takePicture()
        const preview = await send([entry(user, subject)], true)
        assert.equal(preview.status, 200, preview.text)
        assert.deepEqual(await takePicture(), before, 'the preview changed something')
        const [{ result, problem, user_name } = assert.fail()] = preview.body.linked_logins
        assert.deepEqual([problem !== '', user_name], [result === 'refused', user.name])
        const answer = await send([entry(user, subject)], false)
        if (result === 'refused') assertError(answer, 'ConflictError')
        else assert.deepEqual(answer.body.linked_logins, preview.body.linked_logins)
        return result
      },
    }
    for (const [name, state] of Object.entries(states)) {
      for (const [way, attempt] of Object.entries(ways)) {
        test(`${name}, ${way}`, async () => {
          const subject = newId()
          const [user, claims = {}] = await state.prepare(subject)
          const before = await takePicture()
          const expected = state[way as keyof typeof ways]
          assert.equal(await attempt(user, subject, claims), expected)

          const { rest, links } = await takePicture()
          assert.deepEqual(rest, before.rest, 'a user, a role or a key changed')
          const added = expected === 'link' ? [`${provider} ${subject} ${user.id}`] : []
          assert.deepEqual(links, [...before.links, ...added].sort())
          const isOpen = state.isLocked !== true
          assert.equal((await logIn(keyIdentity(user.key))).status, isOpen ? 201 : 401)
          if (expected === 'refused') return
          const later = await logInAt(oidc, { sub: subject })
          if (isOpen) assert.equal(later.body.token.user.Id, user.id)
          else assert.equal(later.status, 401)
        })
      }
    }
  })

  test('takes a fresh login with the password', async () => {
    const user = await addUser()
    const root = await proofOf(user)
    const old = await proofOf(user)
    const revoked = await proofOf(user)
    const headers = { 'x-subject-token': revoked }
    await ask(muster.url, '/v3/auth/tokens', { method: 'DELETE', token: revoked, headers })
    const { db } = muster.database
    const issued_at = Date.now() - 600_001
    const latest = db
      .selectFrom('tokens')
      .where('user_id', '=', user.id)
      .orderBy('issued_at', 'desc')
    const { id } = await latest.select('id').limit(1).executeTakeFirstOrThrow()
    const aged = db.updateTable('tokens').set({ issued_at }).where('id', '=', id).compile()
    const linked = await logInAt(oidc, { sub: newId() })
    const proofs: Record<string, string> = {
      nothing: 'x',
      'a revoked token': revoked,
      'a token of an access key': secretOf(await logIn(keyIdentity(user.key))),
      'a token of a provider': secretOf(linked),
      'a token of a token': secretOf(await logIn(tokenIdentity(root))),
    }
    await muster.database.commitIdentity([aged])
    proofs['an old one'] = old
    const before = await takePicture()
    for (const [name, link] of Object.entries(proofs)) {
      const answer = await logInAt(oidc, { sub: newId() }, link)
      await muster.assertRefused(answer, /recent login with the password/)
      assert.deepEqual(await takePicture(), before, name)
    }
    for (const identity of [passwordOf(user.id), tokenIdentity(root), keyIdentity(user.key)]) {
      const answer = await requestToken(muster.url, { identity, link: { token: root } })
      assertError(answer as never, 'InputParameterError', 'application/json')
    }
    assert.equal((await logInAt(oidc, { sub: newId() }, root)).status, 201)
  })

  test('is never found by name or e-mail address, verified or not', async () => {
    const email = 'victim@example.org'
    const victim = await addUser({ email })
    const spellings = [
      victim.name,
      victim.name.toUpperCase(),
      `${victim.name[0]}${victim.name.slice(1)}`,
    ]
    for (const verified of [true, false, undefined]) {
      for (const preferred_username of spellings) {
        const claims = { sub: newId(), preferred_username, email, email_verified: verified }
        await muster.assertRefused(await logInAt(oidc, claims), /did not create/)
      }
      const stranger = await logInAt(oidc, { sub: newId(), email, email_verified: verified })
      assert.notEqual(stranger.body.token.user.Id, victim.id)
    }
    assert.ok(!(await takePicture()).links.some((link) => link.includes(victim.id)))
  })

  describe('by a list', () => {
    test('is all or nothing, and each link is an event', async () => {
      const [one, two] = [await addUser(), await addUser()]
      const [a, b] = [newId(), newId()]
      const lists: Record<string, readonly object[]> = {
        'a user that does not exist': [entry(one, a), { ...entry(two, b), user_id: newId() }],
        'a provider that does not exist': [entry(one, a), entry(two, b, newId())],
        'a subject twice': [entry(one, a), entry(two, a)],
        'a user twice': [entry(one, a), entry(one, b)],
        'the same twice': [entry(one, a), entry(one, a)],
      }
      const before = await takePicture()
      const eventsBefore = (await muster.events('action=link')).length
      for (const [name, list] of Object.entries(lists)) {
        const refused = await send(list, false)
        assertError(refused, 'ConflictError')
        assert.deepEqual(await takePicture(), before, name)
      }
      const list = [entry(one, a), entry(two, b), entry(two, a, otherProvider)]
      await send(list, true)
      assert.equal((await muster.events('action=link')).length, eventsBefore)
      assert.equal((await send(list, false)).status, 200)
      const events = await muster.events('action=link')
      assert.equal(events.length, eventsBefore + 3)
      assert.deepEqual(events.find(({ target_id }) => target_id === one.id)?.changes, {
        linked_login: [null, { provider: 'acme', subject: a }],
      })
    })

    test('is for administrators who could grant what the users have', async () => {
      const admin = await addUser()
      await muster.identities.assign({
        role: 'domain_admin',
        userId: admin.id,
        domainId: 'default',
      })
      const scope = { domain: { id: 'default' } }
      const request = { identity: passwordIdentity(admin.name, password), scope }
      const token = secretOf(await requestToken(muster.url, request))
      const mighty = await addUser()
      await muster.identities.assign({ role: 'admin', userId: mighty.id })
      const mine = await addUser()
      const foreign = await addUser({ domain_id: away })
      const before = await takePicture()
      const list = [mighty, mine, foreign].map((user) => entry(user, newId()))
      const { body } = await send(list, true, token)
      assert.deepEqual(
        body.linked_logins.map(({ result, user_name }) => [result, user_name]),
        [
          ['refused', mighty.name],
          ['link', mine.name],
          ['refused', ''],
        ],
      )
      assertError(await send(list, false, token), 'ForbiddenError')
      const usual = await proofOf(mine)
      assertError(await send([entry(mine, newId())], true, usual), 'ForbiddenError')
      assert.deepEqual(await takePicture(), before)
      assert.equal((await send([entry(mine, newId())], false, token)).status, 200)
    })
  })

  describe('that is unlinked', () => {
    const pathOf = ({ id }: Person, at = provider) => `/v3/users/${id}/linked_logins/${at}`
    const show = ({ id }: Person, token?: string) =>
      succeed<{ linked_logins: LinkedLoginDto[] }>(
        'GET',
        `/v3/users/${id}/linked_logins`,
        undefined,
        token,
      )

    test('ends its tokens and mapped roles, and nothing else', async () => {
      const rule = { role_id: await muster.roleId('project_viewer'), project_id: project }
      await muster.changeProvider(provider, { mapping: [rule] })
      const user = await addUser()
      const subject = newId()
      const own = await proofOf(user)
      const token = secretOf(await logInAt(oidc, { sub: subject }, own))
      const { linked_logins } = await show(user, own)
      assert.deepEqual(
        linked_logins.map((login) => [login.provider, login.subject]),
        [[{ id: provider, name: 'acme', driver: 'oidc' }, subject]],
      )
      const rolesOf = async () => {
        const { db } = muster.database
        const rows = db.selectFrom('assignments').where('user_id', '=', user.id).selectAll()
        return (await rows.execute()).map(({ provider_id }) => provider_id)
      }
      assert.deepEqual((await rolesOf()).toSorted(), [null, provider].toSorted())
      // Nobody else unlinks it, and no program.
      const stranger = await proofOf(await addUser())
      assert.equal((await muster.call('DELETE', pathOf(user), undefined, stranger)).status, 404)
      const program = secretOf(await logIn(keyIdentity(user.key)))
      assertError(await muster.call('DELETE', pathOf(user), undefined, program), 'ForbiddenError')
      assert.equal((await muster.call('DELETE', pathOf(user, otherProvider))).status, 404)

      await succeed('DELETE', pathOf(user), undefined, own)
      await muster.changeProvider(provider, { mapping: [] })
      assert.deepEqual((await show(user)).linked_logins, [])
      assert.deepEqual(await rolesOf(), [null])
      const statusOf = async (secret: string) =>
        (await ask(muster.url, '/v3/auth/catalog', { token: secret })).status
      assert.deepEqual([await statusOf(token), await statusOf(own)], [401, 200])
      assert.equal((await logIn(keyIdentity(user.key))).status, 201)
      const later = await logInAt(oidc, { sub: subject })
      assert.notEqual(later.body.token.user.Id, user.id)
      const [event] = await muster.events(`action=unlink&target_id=${user.id}`)
      assert.deepEqual(event?.changes, {
        linked_login: [{ provider: 'acme', subject }, null],
      })
    })

    test('must not be the last way to log in', async () => {
      const answer = await logInAt(oidc, { sub: newId() })
      const { Id: id, Name: name } = answer.body.token.user
      const user = await equip({ id, name })
      const own = secretOf(answer)
      const before = await takePicture()
      for (const token of [own, muster.admin]) {
        assertError(
          await muster.call('DELETE', pathOf(user), undefined, token),
          'InvalidStatusError',
        )
      }
      await send([entry(user, newId(), otherProvider)], false)
      await muster.changeProvider(otherProvider, { enabled: false })
      assertError(await muster.call('DELETE', pathOf(user)), 'InvalidStatusError')
      await muster.changeProvider(otherProvider, { enabled: true })
      assert.deepEqual((await takePicture()).rest, before.rest)
      await succeed('DELETE', pathOf(user))
      assertError(await muster.call('DELETE', pathOf(user, otherProvider)), 'InvalidStatusError')
    })
  })
})
