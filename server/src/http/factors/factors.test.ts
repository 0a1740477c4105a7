import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { EventDto } from '@muster/contract'
import { assertError } from '../../testing/assert-error.ts'
import { ask, secretOf } from '../../testing/client.ts'
import { startFactorWorld, type FactorWorld } from '../../testing/factor-world.ts'
import { comparableParts } from '../../testing/comparable-response.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const minute = 60_000

onEngineOfLane('second factors', (engine) => {
  const lifetime = suiteLifetime()
  let world: FactorWorld
  before(async () => {
    world = await startFactorWorld(lifetime, engine)
  })

  const eventsOf = async (id: string): Promise<EventDto[]> =>
    await world.muster.events(`target_id=${id}`)

  test('are added with a secret that is shown once, and asked for once they are confirmed', async () => {
    const user = await world.addUser()
    const token = await world.passwordToken(user)
    const { body, headers } = await world.addFactor(user.id, token, 'My phone')
    const { id, secret, uri } = body.factor
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(secret, /^[A-Z2-7]{32}$/)
    const read = new URL(uri)
    assert.equal(read.protocol, 'otpauth:')
    assert.equal(read.searchParams.get('secret'), secret)
    assert.ok(decodeURIComponent(read.pathname).endsWith(`:${user.name}`), uri)
    assert.equal((await world.logIn(world.passwordIdentity(user.id))).status, 201)

    const confirmed = await world.confirm(user.id, id, token, world.codeOf(secret))
    assert.equal(confirmed.status, 200, confirmed.text)
    assert.equal(confirmed.body.recovery_codes.length, 10)
    const list = await world.getFactors(user.id, token)
    assert.ok(!JSON.stringify(list).includes(secret))
    const { last_used_at, created_at, ...factor } = list.factors[0] ?? assert.fail('no factor')
    assert.deepEqual(factor, { id, name: 'My phone', type: 'totp', confirmed: true })
    assert.ok((last_used_at ?? '') >= created_at)
    assert.equal(list.recovery_codes, 10)
    assert.equal(list.session.required, 'none')
    assertError(
      await world.logIn(world.passwordIdentity(user.id)),
      'UnauthorizedError',
      'application/json',
    )
  })

  test('are stored encrypted, and recovery codes as hashes', async () => {
    const person = await world.addEnrolled()
    const { db } = world.muster.database
    const factors = await db.selectFrom('factors').selectAll().execute()
    const codes = await db.selectFrom('recovery_codes').selectAll().execute()
    const stored = JSON.stringify([factors, codes])
    for (const secret of [person.secret, ...person.recoveryCodes]) {
      assert.ok(!stored.includes(secret))
      assert.ok(!stored.includes(secret.replaceAll('-', '')))
    }
    const events = JSON.stringify(await eventsOf(person.id))
    for (const secret of [person.secret, ...person.recoveryCodes])
      assert.ok(!events.includes(secret))
  })

  test('a login with password and code tells both methods, also for another scope', async () => {
    const person = await world.addEnrolled()
    const answer = await world.logInWithCode(person, await world.freshCode(person))
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(answer.body.token.methods, ['password', 'totp'])
    const child = await world.rescope(secretOf(answer))
    assert.deepEqual(child.body.token.methods, ['password', 'totp'])
    const { session } = await world.getFactors(person.id, secretOf(child))
    assert.equal(session.verified_at, answer.body.token.issued_at)
    const all = await eventsOf(person.id)
    assert.ok(all.some(({ changes }) => changes['factor']?.[1] === 'totp'))
  })

  test('the user of the code is that of the password, however each is named', async () => {
    const person = await world.addEnrolled()
    const other = await world.addEnrolled()
    const attempt = async (user: object) => {
      const code = await world.freshCode(person)
      const identity = {
        ...world.pairIdentity(person.id, code),
        totp: { user: { ...user, passcode: code } },
      }
      return (await world.logIn(identity)).status
    }
    assert.equal(await attempt({}), 201)
    assert.equal(await attempt({ id: person.id }), 201)
    assert.equal(await attempt({ name: person.name, domain: { id: 'default' } }), 201)
    assert.equal(await attempt({ name: person.name, Domain: { Name: 'Default' } }), 201)
    assert.equal(await attempt({ id: other.id }), 401)
    assert.equal(await attempt({ name: other.name }), 401)
    assert.equal(await attempt({ name: 'nobody' }), 401)
  })

  test('every wrong pair is the same 401 as a wrong password', async () => {
    const person = await world.addEnrolled()
    const plain = await world.addUser()
    const code = await world.freshCode(person)
    const foreign = await world.addEnrolled()
    const { refusal } = world.muster
    const attempts: Record<string, object> = {
      'a wrong password': world.passwordIdentity(person.id, 'wrong'),
      'the password only': world.passwordIdentity(person.id),
      'a wrong code': world.pairIdentity(person.id, code === '000000' ? '000001' : '000000'),
      'an old code': world.pairIdentity(person.id, world.codeOf(person.secret, -3)),
      'a later code': world.pairIdentity(person.id, world.codeOf(person.secret, 3)),
      'a code of another user': world.pairIdentity(person.id, await world.freshCode(foreign)),
      'a recovery code of another user': world.pairIdentity(
        person.id,
        foreign.recoveryCodes[0] ?? '',
      ),
      'a wrong password with the right code': world.pairIdentity(person.id, code, 'wrong'),
      'a code without a factor': world.pairIdentity(plain.id, code),
      'nobody with a code': world.pairIdentity('nobody', code),
      'the secret itself': world.pairIdentity(person.id, person.secret),
    }
    for (const [what, identity] of Object.entries(attempts)) {
      await world.forgetUse(person.factorId)
      const answer = await world.logIn(identity)
      assert.deepEqual(comparableParts(answer), refusal, what)
    }
    assert.equal((await world.logInWithCode(person, await world.freshCode(person))).status, 201)
  })

  test('other pairs of methods stay refused', async () => {
    const person = await world.addEnrolled()
    const token = secretOf(await world.logInWithCode(person, await world.freshCode(person)))
    const code = await world.freshCode(person)
    const pair = world.pairIdentity(person.id, code)
    const pairs: object[] = [
      { ...pair, methods: ['totp'] },
      { ...pair, methods: ['password'] },
      { ...pair, methods: ['password', 'password'] },
      { ...pair, methods: ['totp', 'totp'] },
      { ...world.passwordIdentity(person.id), methods: ['password', 'totp'] },
      { methods: ['token', 'totp'], token: { id: token }, totp: { user: { passcode: code } } },
      {
        ...world.passwordIdentity(person.id),
        methods: ['password', 'token'],
        token: { id: token },
      },
      { ...pair, methods: ['password', 'totp', 'token'], token: { id: token } },
      { ...keyIdentity(person.key), methods: ['aksk', 'totp'], totp: { user: { passcode: code } } },
    ]
    for (const identity of pairs) {
      const { status, text } = await world.logIn(identity)
      assert.equal(status, 400, `${JSON.stringify(identity)} ${text}`)
    }
    const reversed = { ...pair, methods: ['totp', 'password'] }
    assert.equal((await world.logIn(reversed)).status, 201)
  })

  test('a code works once, and no earlier one after it', async () => {
    const person = await world.addEnrolled()
    await world.forgetUse(person.factorId)
    const [before, now, next] = [-1, 0, 1].map((steps) => world.codeOf(person.secret, steps))
    assert.equal((await world.logInWithCode(person, before ?? '')).status, 201)
    assert.equal((await world.logInWithCode(person, before ?? '')).status, 401)
    assert.equal((await world.logInWithCode(person, next ?? '')).status, 201)
    assert.equal((await world.logInWithCode(person, now ?? '')).status, 401)
    assert.equal((await world.logInWithCode(person, next ?? '')).status, 401)
    assert.equal((await world.verify(person.id, person.token, next ?? '')).status, 401)
  })

  test('of concurrent logins with one code exactly one succeeds', async () => {
    const person = await world.addEnrolled()
    for (const kind of ['totp', 'recovery'] as const) {
      const code = kind === 'totp' ? await world.freshCode(person) : (person.recoveryCodes[1] ?? '')
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => world.logInWithCode(person, code)),
      )
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
      assert.deepEqual(statuses, [201, 401, 401, 401, 401], kind)
    }
  })

  test('recovery codes work once each, in any spelling, and end when they are replaced', async () => {
    const person = await world.addEnrolled()
    const [first = '', second = '', third = ''] = person.recoveryCodes
    assert.equal(
      (await world.logInWithCode(person, first.toUpperCase().replaceAll('-', ' '))).status,
      201,
    )
    assert.equal((await world.logInWithCode(person, first)).status, 401)
    assert.equal((await world.verify(person.id, person.token, second)).status, 204)
    assert.equal((await world.verify(person.id, person.token, second)).status, 401)
    assert.equal((await world.getFactors(person.id)).recovery_codes, 8)
    const path = `/v3/users/${person.id}/recovery_codes`
    const renewed = await world.call<{ recovery_codes: string[] }>('POST', path, person.token)
    assert.equal(renewed.status, 201, renewed.text)
    assert.equal((await world.getFactors(person.id)).recovery_codes, 10)
    await world.forgetUse(person.factorId)
    assert.equal((await world.logInWithCode(person, third)).status, 401)
    assert.equal(
      (await world.logInWithCode(person, renewed.body.recovery_codes[0] ?? '')).status,
      201,
    )
  })

  test('guesses of codes are delayed like those of passwords, in every way to send one', async () => {
    const ways: Record<
      string,
      (person: Awaited<ReturnType<FactorWorld['addEnrolled']>>, code: string) => Promise<number>
    > = {
      login: async (person, code) => (await world.logInWithCode(person, code)).status,
      'a session': async (person, code) =>
        (await world.verify(person.id, person.token, code)).status,
      'the login page': async (person, passcode) => {
        const body = { name: person.name, password: world.userPassword, passcode }
        const headers = { 'sec-fetch-site': 'same-origin', origin: world.muster.url }
        return (await ask(world.muster.url, '/api/session', { method: 'POST', headers, body }))
          .status
      },
    }
    for (const [way, send] of Object.entries(ways)) {
      for (const guess of ['000000', 'aaaa-aaaa-aaaa-aaaa']) {
        const person = await world.addEnrolled()
        await world.freshCode(person)
        for (let count = 0; count < 12; count += 1) {
          const status = await send(person, guess)
          assert.ok(status === 401 || status === 429, `${way}: ${status}`)
          // The right password in between must not make the guesses forgotten.
          const body = { name: person.name, password: world.userPassword }
          const headers = { 'sec-fetch-site': 'same-origin', origin: world.muster.url }
          await ask(world.muster.url, '/api/session', { method: 'POST', headers, body })
        }
        assert.ok((await world.failuresOf(person.id)) >= 10, way)
        await world.block(person.id)
        const right = world.codeOf(person.secret)
        assert.equal((await world.logInWithCode(person, right)).status, 401, way)
        assert.equal((await world.verify(person.id, person.token, right)).status, 401, way)
      }
    }
  })

  test('changing factors and making keys takes a code of the last 15 minutes', async () => {
    const person = await world.addEnrolled()
    const actions: Record<string, () => Promise<{ status: number; text: string }>> = {
      add: () => world.addFactor(person.id, person.token),
      rename: () =>
        world.call('PUT', `${world.factorsPath(person.id)}/${person.factorId}`, person.token, {
          factor: { name: 'new' },
        }),
      codes: () => world.call('POST', `/v3/users/${person.id}/recovery_codes`, person.token),
      key: () =>
        world.call('POST', '/v3/credentials', person.token, {
          credential: { type: 'aksk', project_id: world.project },
        }),
      delete: () =>
        world.call('DELETE', `${world.factorsPath(person.id)}/${person.factorId}`, person.token),
    }
    for (const at of [null, Date.now() - 15 * minute - 1]) {
      await world.setFactorTime(person.id, at)
      for (const [what, act] of Object.entries(actions)) {
        const answer = await act()
        assert.equal(answer.status, 403, `${what}: ${answer.text}`)
        assert.match(answer.text, /"class":"FactorRequiredError".*"reason":"verify"/, what)
      }
    }
    assert.equal(
      (await world.verify(person.id, person.token, await world.freshCode(person))).status,
      204,
    )
    for (const [what, act] of Object.entries(actions)) {
      const answer = await act()
      assert.ok(answer.status < 300, `${what}: ${answer.text}`)
    }
    assert.equal((await world.logIn(world.passwordIdentity(person.id))).status, 201)
    assert.equal((await world.getFactors(person.id)).recovery_codes, 0)
  })

  test('a code sent with a token counts for those it was issued from, and for no others', async () => {
    const person = await world.addEnrolled()
    const root = secretOf(await world.logInWithCode(person, await world.freshCode(person)))
    const child = secretOf(await world.rescope(root))
    const sibling = secretOf(await world.rescope(root))
    await world.setFactorTime(person.id, null)
    assert.equal((await world.verify(person.id, child, await world.freshCode(person))).status, 204)
    const verifiedAt = async (token: string) =>
      (await world.getFactors(person.id, token)).session.verified_at
    assert.ok(await verifiedAt(child))
    assert.equal(await verifiedAt(root), await verifiedAt(child))
    assert.equal(await verifiedAt(sibling), null)
    assert.equal(await verifiedAt(person.token), null)
    assert.ok(await verifiedAt(secretOf(await world.rescope(root))))
  })

  test('programs cannot change them, and other users only reset them', async () => {
    const person = await world.addEnrolled()
    const key = secretOf(await world.logIn(keyIdentity(person.key)))
    assertError(await world.addFactor(person.id, key), 'ForbiddenError')
    assertError(await world.verify(person.id, key, await world.freshCode(person)), 'ForbiddenError')
    const path = `${world.factorsPath(person.id)}/${person.factorId}`
    assertError(await world.call('DELETE', path, key), 'ForbiddenError')
    assertError(await world.call('DELETE', path, world.muster.admin), 'ResourceNotFoundError')
    assertError(await world.addFactor(person.id, world.muster.admin), 'ResourceNotFoundError')
    assertError(
      await world.call('DELETE', world.factorsPath(person.id), person.token),
      'ForbiddenError',
    )
  })

  test('a reset removes all, ends sessions and tells the user who did it', async () => {
    const person = await world.addEnrolled()
    const { status, text } = await world.call(
      'DELETE',
      world.factorsPath(person.id),
      world.muster.admin,
    )
    assert.equal(status, 204, text)
    assert.equal(await world.muster.statusOf(person.token), 401)
    const answer = await world.logIn(world.passwordIdentity(person.id))
    const list = await world.getFactors(person.id, secretOf(answer))
    assert.deepEqual([list.factors, list.recovery_codes, list.reset?.by], [[], 0, 'sysadmin'])
    for (const code of [world.codeOf(person.secret), person.recoveryCodes[0] ?? '']) {
      assert.equal((await world.logInWithCode(person, code)).status, 401)
    }
    const event = (await eventsOf(person.id)).find(({ action }) => action === 'reset_factors')
    assert.deepEqual(event?.changes, { factors: [['Phone'], null] })
  })

  test('a reset takes all permissions of the user', async () => {
    const { succeed, muster } = world
    const admin = await muster.roleId('domain_admin')
    const deputy = await world.addUser()
    await succeed('PUT', `/v3/domains/default/users/${deputy.id}/roles/${admin}`)
    const logInDeputy = async () =>
      secretOf(
        await world.muster.call('POST', '/v3/auth/tokens', {
          auth: {
            identity: world.passwordIdentity(deputy.id),
            scope: { domain: { id: 'default' } },
          },
        }),
      )
    const token = await logInDeputy()
    const chief = await world.addEnrolled()
    await succeed('PUT', `/v3/system/users/${chief.id}/roles/${await muster.roleId('auditor')}`)
    assertError(await world.call('DELETE', world.factorsPath(chief.id), token), 'ForbiddenError')
    assert.equal((await world.getFactors(chief.id)).factors.length, 1)
    const member = await world.addEnrolled()
    assert.equal((await world.call('DELETE', world.factorsPath(member.id), token)).status, 204)
    assertError(
      await world.call('DELETE', world.factorsPath(deputy.id), await logInDeputy()),
      'ForbiddenError',
    )
  })
})
