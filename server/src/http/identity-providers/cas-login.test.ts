import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { UserDto } from '@muster/contract'
import { heldIn, startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { passwordIdentity, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { casFailure, startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

onEngineOfLane('a login with a CAS ticket', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let cas: FakeCas
  let campus: string
  let provider: string
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    campus = await muster.identities.addDomain('campus')
  })

  const users = () => muster.database.db.selectFrom('users')
  const usersNamed = (name: string) => users().where('name', '=', name).selectAll().execute()
  const show = async (id: string) =>
    (await muster.call<{ user: UserDto }>('GET', `/v3/users/${id}`)).body.user
  const arrive = async (name: string) =>
    (await muster.logIn(cas.ticketFor(name))).body.token.user.Id

  test('fails without a provider like any other failed login', async () => {
    const ticket = cas.ticketFor('early')
    await muster.assertRefused(await muster.logIn(ticket), /^CAS: no provider/)
    assert.equal(cas.connections(), 0)
    provider = (await muster.addProvider(cas, { name: 'university', domain_id: campus })).id
    assert.equal((await muster.logIn(ticket)).status, 201)
  })

  describe('the first login of a user', () => {
    test('creates a user in the domain of the provider, without roles or password', async () => {
      const answer = await muster.logIn(cas.ticketFor('ada'))
      assert.equal(answer.status, 201)
      const { token } = answer.body
      assert.deepEqual(token.methods, ['cas'])
      assert.deepEqual(
        [token.user.Name, token.user.Domain, token.user.PasswordExpiresAt],
        ['ada', { id: campus, name: 'campus' }, null],
      )
      // Without a mapping the token is unscoped.
      const { roles, role_assignments, projects, catalog, project, is_domain } = token
      assert.deepEqual([roles, role_assignments, projects, catalog], [[], [], [], []])
      assert.deepEqual([project.Id, is_domain], ['', false])

      const { name, domain_id, enabled, email, default_project_id } = await show(token.user.Id)
      assert.deepEqual(
        [name, domain_id, enabled, email, default_project_id],
        ['ada', campus, true, '', null],
      )
      const [row] = await usersNamed('ada')
      assert.equal(row?.password_hash, null)
      const { password } = passwordIdentity('ada', 'any password')
      const user = { ...password.user, domain: { id: campus } }
      const byPassword = await requestToken(muster.url, {
        identity: { methods: ['password'], password: { user } },
      })
      assert.deepEqual(comparableParts(byPassword), muster.refusal)
    })

    test('is recorded in the audit log with the created user', async () => {
      const answer = await muster.logIn(cas.ticketFor('annie'))
      const { Id: id } = answer.body.token.user
      const requestId = answer.headers.get('x-request-id') ?? ''
      const events = await muster.events(`request_id=${requestId}`)
      assert.deepEqual(
        events.map(({ action, result }) => [action, result]),
        [
          ['login', 'success'],
          ['create', 'success'],
        ],
      )
      for (const event of events) {
        const { target_type, target_id, target_name, user_id, user, domain_id, ip } = event
        assert.deepEqual([target_type, target_id, target_name], ['user', id, 'annie'])
        assert.deepEqual([user_id, user, domain_id, ip], [id, 'annie', campus, '127.0.0.1'])
      }
      assert.deepEqual(events[0]?.changes, { method: [null, 'cas'] })
      assert.deepEqual(events[1]?.changes['name'], [null, 'annie'])
      assert.deepEqual(events[1]?.changes['domain_id'], [null, campus])
    })

    test('concurrent first logins create one user', async () => {
      const tickets = Array.from({ length: 12 }, () => cas.ticketFor('crowd'))
      const answers = await Promise.all(tickets.map((ticket) => muster.logIn(ticket)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        tickets.map(() => 201),
      )
      assert.equal(new Set(answers.map(({ body }) => body.token.user.Id)).size, 1)
      assert.equal((await usersNamed('crowd')).length, 1)
    })
  })

  test('the second login is of the same user', async () => {
    const id = await arrive('again')
    assert.equal(await arrive('again'), id)
    const made = await muster.events(`target_id=${id}&action=create`)
    const logins = await muster.events(`target_id=${id}&action=login`)
    assert.deepEqual([made.length, logins.length], [1, 2])
    assert.equal((await usersNamed('again')).length, 1)
  })

  test('accepts both method names and reports the first', async () => {
    for (const method of ['cas', 'cas_ticket']) {
      const answer = await muster.logIn(cas.ticketFor('namer'), undefined, method)
      assert.deepEqual(answer.body.token.methods, ['cas'])
    }
  })

  test('requires a ticket and nothing else', async () => {
    const asked = cas.requests.length
    const send = (identity: object) => requestToken(muster.url, { identity })
    const ticket = { id: cas.ticketFor('nobody') }
    const missing = await send({ methods: ['cas'] })
    assertError(missing, 'MissingParameterError', 'application/json')
    const strays: object[] = [
      { methods: ['cas'], cas_ticket: ticket, token: { id: 'x' } },
      { methods: ['token'], cas_ticket: ticket, token: { id: 'x' } },
      { methods: ['cas', 'token'], cas_ticket: ticket, token: { id: 'x' } },
      { methods: ['cas', 'cas_ticket'], cas_ticket: ticket },
      { methods: ['cas'], cas_ticket: { ...ticket, service: 'https://elsewhere.test' } },
      { methods: ['cas'], cas_ticket: {} },
      { methods: ['cas'], cas_ticket: { id: null } },
      { methods: ['cas'], cas_ticket: [ticket.id] },
    ]
    for (const identity of strays) assert.equal((await send(identity)).status, 400)
    assert.equal(cas.requests.length, asked)
  })

  test('can name the provider; an unknown provider is not contacted', async () => {
    const asked = cas.requests.length
    const send = (named: string) =>
      requestToken(muster.url, {
        identity: {
          methods: ['cas'],
          cas_ticket: { id: cas.ticketFor('named'), provider: named },
        },
      })
    await muster.assertRefused(await send('no-such-provider'), /^CAS: no provider/)
    assert.equal(cas.requests.length, asked)
    assert.equal((await send(provider)).status, 201)
    assert.equal(cas.requests.length, asked + 1)
  })

  describe('ASVS 6.8.1: a user is identified by provider and subject, never by name:', () => {
    test('a local user of the same name in any spelling is not taken over', async () => {
      const passwordHash = 'somebody knows it'
      const id = await muster.identities.addUser({ name: 'Grace', domainId: campus, passwordHash })
      const project = await muster.identities.addProject("grace's", campus)
      await muster.identities.assign({ role: 'project_owner', userId: id, projectId: project })
      const { events: _, spent: _spent, ...rows } = await dumpTables(muster.database)
      for (const name of ['Grace', 'grace', 'GRACE', 'Ｇrace']) {
        for (const scope of [undefined, { project: { id: project } }]) {
          const answer = await muster.logIn(cas.ticketFor(name), scope)
          const event = await muster.assertRefused(
            answer,
            /^CAS: ".+" is a user that the provider did not create$/,
          )
          // The event names neither user.
          assert.deepEqual([event.user_id, event.target_id], ['', ''])
        }
      }
      const { events: __, spent: __spent, ...rowsNow } = await dumpTables(muster.database)
      assert.deepEqual(rowsNow, rows)
    })

    test('a user of the same name in another domain is not affected', async () => {
      const elsewhere = await muster.identities.addUser({ name: 'twin' })
      assert.notEqual(await arrive('twin'), elsewhere)
    })

    test('a name with format characters creates no user, but existing users stay linked', async () => {
      const odd = 'hop\u200bper'
      const refused = await muster.logIn(cas.ticketFor(odd))
      await muster.assertRefused(
        refused,
        /^CAS: the user name has characters that a new name must not have/,
      )
      const id = await arrive('hopper')
      await muster.identities.change(
        muster.database.db
          .insertInto('subjects')
          .values({ provider_id: provider, subject: odd, user_id: id })
          .compile(),
      )
      assert.equal(await arrive(odd), id)
    })

    test('a subject in another spelling is another subject', async () => {
      const id = await arrive('hopper')
      const answer = await muster.logIn(cas.ticketFor('Hopper'))
      await muster.assertRefused(answer, /^CAS: ".+" is a user that the provider did not create$/)
      assert.equal(await arrive('hopper'), id)
    })

    test('the same subject of another provider is another user', async () => {
      const id = await arrive('lovelace')
      const other = await startFakeCas(lifetime)
      await muster.changeProvider(provider, { enabled: false })
      const { id: otherId } = await muster.addProvider(other, { domain_id: campus })
      const answer = await muster.logIn(other.ticketFor('lovelace'))
      await muster.assertRefused(answer, /^CAS: ".+" is a user that the provider did not create$/)
      assert.equal((await muster.call('DELETE', `/v3/identity_providers/${otherId}`)).status, 204)
      await muster.changeProvider(provider, { enabled: true })
      assert.equal(await arrive('lovelace'), id)
    })

    test('a renamed user stays linked, and the old name is free', async () => {
      const id = await arrive('maiden')
      const path = `/v3/users/${id}`
      assert.equal((await muster.call('PUT', path, { user: { name: 'married' } })).status, 200)
      const { user } = (await muster.logIn(cas.ticketFor('maiden'))).body.token
      assert.deepEqual([user.Id, user.Name], [id, 'married'])
      // The new name does not link to a subject of that name.
      const namesake = await muster.logIn(cas.ticketFor('married'))
      await muster.assertRefused(namesake, /^CAS: ".+" is a user that the provider did not create$/)
    })
  })

  test('SEC-16: a deleted user returns as a new user without the old data', async () => {
    const old = await muster.logIn(cas.ticketFor('phoenix'))
    const { Id: oldId } = old.body.token.user
    const projectId = await muster.identities.addProject('ashes', campus)
    await muster.identities.assign({ role: 'project_owner', userId: oldId, projectId })
    const scope = { project: { id: projectId } }
    const held = (await muster.logIn(cas.ticketFor('phoenix'), scope)).body.token
    assert.deepEqual(heldIn(held.role_assignments), ['project_owner on ashes'])

    assert.equal((await muster.call('DELETE', `/v3/users/${oldId}`)).status, 204)
    assert.equal(await muster.statusOf(secretOf(old)), 401)
    const anew = await muster.logIn(cas.ticketFor('phoenix'))
    assert.notEqual(anew.body.token.user.Id, oldId)
    assert.deepEqual(anew.body.token.role_assignments, [])
    const scoped = await muster.logIn(cas.ticketFor('phoenix'), scope)
    await muster.assertRefused(scoped, /^no role there$/)
    assert.equal(await muster.statusOf(secretOf(old)), 401)
  })

  test('SEC-23: a disabled user cannot log in by ticket', async () => {
    const id = await arrive('banned')
    const path = `/v3/users/${id}`
    assert.equal((await muster.call('PUT', path, { user: { enabled: false } })).status, 200)
    const answer = await muster.logIn(cas.ticketFor('banned'))
    const event = await muster.assertRefused(answer, /disabled/)
    assert.deepEqual([event.target_id, event.target_name], [id, 'banned'])
    assert.equal((await muster.call('PUT', path, { user: { enabled: true } })).status, 200)
    assert.equal(await arrive('banned'), id)
  })

  describe('SEC-04: while the domain of the provider is disabled', () => {
    const enable = async (enabled: boolean) => {
      const { status } = await muster.call('PUT', `/v3/domains/${campus}`, { domain: { enabled } })
      assert.equal(status, 200)
    }

    test('its users cannot log in', async () => {
      const id = await arrive('resident')
      await enable(false)
      const answer = await muster.logIn(cas.ticketFor('resident'))
      await enable(true)
      await muster.assertRefused(answer, /disabled/)
      assert.equal(await arrive('resident'), id)
    })

    test('no user is created', async () => {
      await enable(false)
      const answer = await muster.logIn(cas.ticketFor('newcomer'))
      await enable(true)
      assert.deepEqual(comparableParts(answer), muster.refusal)
      assert.deepEqual(await usersNamed('newcomer'), [])
    })
  })

  test('its token can be exchanged for other tokens of the same user', async () => {
    const first = await muster.logIn(cas.ticketFor('chain'))
    const child = await requestToken(muster.url, { identity: tokenIdentity(secretOf(first)) })
    assert.equal(child.body.token.user.Id, first.body.token.user.Id)
    assert.equal(child.body.token.expires_at, first.body.token.expires_at)
  })

  describe('SEC-64: a ticket, valid or not, used or not,', () => {
    const canary = 'canary0ticket0'
    let answers: Awaited<ReturnType<CasPlatform['logIn']>>[]
    before(async () => {
      const good = cas.ticketFor('discreet', {}, `ST-${canary}good`)
      // A real server quotes the rejected ticket.
      const quoted = cas.prepareTicket(casFailure(`ST-${canary}quoted`), `ST-${canary}quoted`)
      const malformed = `ST-${canary}&service=x`
      answers = []
      for (const ticket of [good, good, `ST-${canary}unknown`, quoted, malformed]) {
        answers.push(await muster.logIn(ticket))
      }
    })

    test('is not in the log at the most verbose level, nor in responses and events', async () => {
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 401, 401, 401, 400],
      )
      for (const { headers, text } of answers) {
        await muster.log.about(headers.get('x-request-id') ?? '')
        assert.ok(!JSON.stringify([...headers, text]).includes(canary))
      }
      assert.ok(!muster.log.text().includes(canary))
      const { events = [] } = await dumpTables(muster.database)
      assert.ok(events.length > 0 && !events.join('\n').includes(canary))
    })

    test('is not stored in any table', async () => {
      const tables = Object.entries(await dumpTables(muster.database))
      const leaking = tables.filter(([, rows]) => rows.some((row) => row.includes(canary)))
      assert.deepEqual(
        leaking.map(([table]) => table),
        [],
      )
    })
  })
})
