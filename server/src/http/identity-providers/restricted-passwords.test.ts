import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { IdentityProviderDto } from '@muster/contract'
import { createAccessKeyStore } from '../../storage/identity/access-keys.ts'
import { createErasePasswords } from '../../storage/identity/erase-passwords.ts'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { assertError } from '../../testing/assert-error.ts'
import { ask, secretOf } from '../../testing/client.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { makeEvent, makeToken } from '../../testing/identity-world/identity-records.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import type { LinkablePerson } from '../../testing/link-world.ts'
import {
  startLocalPasswordWorld,
  type LocalPasswordWorld,
} from '../../testing/local-password-world.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const day = 86_400_000
const audience = 'https://muster.test/api'

onEngineOfLane('ways around the rule about local passwords', (engine) => {
  const lifetime = suiteLifetime()
  let world: LocalPasswordWorld
  let guard: LinkablePerson
  before(async () => {
    world = await startLocalPasswordWorld(lifetime, engine)
    guard = await world.addUser()
    await world.muster.changeProvider(world.provider, { options: { audience } })
  })
  beforeEach(() => world.reset([world.adminId, guard.id]))

  const restrict = async () => {
    const answer = await world.restrict()
    assert.equal(answer.status, 200, answer.text)
  }
  const plant = (userId: string, scope = { kind: 'project' as const, id: world.project }) =>
    insertToken(world.muster.database, { userId, scope })

  /** The token of a program, for the user of a subject. */
  async function logInProgram(subject: string): Promise<string> {
    const claims = world.oidc.claimsOf({
      sub: subject,
      aud: audience,
      nonce: undefined,
      jti: crypto.randomUUID(),
    })
    const token = world.oidc.sign(claims, { typ: 'at+jwt' })
    return await world.rescope(
      secretOf(await world.muster.logInWith({ provider: world.provider, token })),
    )
  }

  describe('a program at the provider', () => {
    test('does not show that people can log in there', async () => {
      const token = await logInProgram(world.chief.subject)
      const { preview, problem } = await world.preview(token)
      assert.match(problem, /logged in through an identity provider/)
      const answer = await world.sendRule({ value: 'break_glass', preview }, token)
      assertError(answer, 'ForbiddenError')
      assert.equal((await world.ruleOf()).local_passwords, 'on')
      assert.equal((await world.restrict(world.chiefToken)).status, 200)
    })

    test('makes no key that lasts, also with a token that was exchanged', async () => {
      const make = (token: string) =>
        ask(world.muster.url, '/v3/credentials', {
          method: 'POST',
          token,
          body: { credential: { type: 'aksk', project_id: world.project } },
        })
      const person = await world.addUser()
      const subject = await world.link(person)
      const program = await logInProgram(subject)
      assertError(await make(program), 'ForbiddenError')
      assertError(await make(await world.rescope(program)), 'ForbiddenError')
      const inBrowser = secretOf(await world.logInAt(world.oidc, { sub: subject }))
      assert.equal((await make(await world.rescope(inBrowser))).status, 201)
    })
  })

  test('only the system brings back passwords of users with a role on the system', async () => {
    const above = await world.addUser()
    await world.succeed('PUT', `/v3/system/users/${above.id}/roles/${world.adminRole}`)
    const domainAdmin = await world.addUser()
    await world.muster.identities.assign({
      role: 'domain_admin',
      userId: domainAdmin.id,
      domainId: 'default',
    })
    const token = await insertToken(world.muster.database, {
      userId: domainAdmin.id,
      scope: { kind: 'domain', id: 'default' },
      login: { at: Date.now(), method: 'cas' },
      method: 'cas',
    })
    await restrict()
    const told = await world.sendRule({ value: 'on', dry_run: true }, token)
    assert.match(told.body.local_passwords.problem, /role on the system/)
    assertError(await world.sendRule({ value: 'on' }, token), 'ForbiddenError')
    assert.equal((await world.ruleOf()).local_passwords, 'break_glass')
    await world.muster.call('DELETE', `/v3/users/${above.id}`, undefined, world.chiefToken)
    assert.equal((await world.sendRule({ value: 'on' }, token)).status, 200)
  })

  describe('a directory that gets typed passwords', () => {
    const attach = (token: string, changes: object = {}) =>
      world.muster.call<{ identity_provider: IdentityProviderDto }>(
        'POST',
        '/v3/identity_providers',
        {
          identity_provider: {
            name: `directory ${crypto.randomUUID()}`,
            driver: 'ldap',
            domain_id: 'default',
            options: {
              servers: 'ldaps://localhost',
              base_dn: 'dc=example,dc=org',
              ca: testAuthority,
            },
            ...changes,
          },
        },
        token,
      )
    const enable = (id: string, token: string) =>
      world.muster.call(
        'PUT',
        `/v3/identity_providers/${id}`,
        { identity_provider: { enabled: true } },
        token,
      )

    test('takes a full administrator once the domain refuses its own', async () => {
      await world.muster.identities.addRole('attacher', 'system', [
        { service: 'identity', resource: 'identity_providers', action: '*', effect: 'allow' },
      ])
      const limited = await world.addUser()
      await world.muster.identities.assign({ role: 'attacher', userId: limited.id })
      const unused = await attach(await plant(limited.id), { enabled: false })
      assert.equal(unused.status, 201, unused.text)
      const { id } = unused.body.identity_provider
      await restrict()
      const token = await plant(limited.id)
      assertError(await attach(token), 'ForbiddenError')
      assertError(await enable(id, token), 'ForbiddenError')
      assert.equal((await attach(token, { domain_id: world.away })).status, 201)
      assert.equal((await enable(id, world.chiefToken)).status, 200)
      await world.muster.call('DELETE', `/v3/identity_providers/${id}`, undefined, world.chiefToken)
    })
  })

  test('the preview tells that no administrator with a password would remain', async () => {
    const other = await world.addUser()
    await world.reset([guard.id, other.id])
    const { problem, preview } = await world.preview()
    assert.match(problem, /No system administrator could log in without an identity provider/)
    assertError(await world.sendRule({ value: 'break_glass', preview }), 'ConflictError')
    await world.reset([world.adminId, guard.id])
    assert.equal((await world.preview()).problem, '')
  })

  test('a break-glass login across the switch gets no token, so none lacks its alert', async () => {
    const { db } = world.muster.database
    const row = db.selectFrom('users').select('password_hash').where('id', '=', guard.id)
    const hash = (await row.executeTakeFirstOrThrow()).password_hash ?? ''
    const tokens = createTokenStore(world.muster.database)
    const insert = (isRestricted: boolean) =>
      tokens.insert(
        makeToken({ id: crypto.randomUUID(), userId: guard.id }),
        { password: { hash, isRestricted } },
        makeEvent(),
      )
    assert.deepEqual([await insert(false), await insert(true)], [true, false])
    await restrict()
    assert.deepEqual([await insert(false), await insert(true)], [false, true])
  })

  describe('access keys count from when the password was refused', () => {
    const confirmedAt = async ({ key }: LinkablePerson) => {
      const found = await createAccessKeyStore(world.muster.database).find(key.split(':')[0] ?? '')
      assert.ok(found)
      return found.confirmedAt
    }
    async function addLinked(fields: object = {}) {
      const person = await world.addUser(fields)
      await world.link(person)
      const { db, commitIdentity } = world.muster.database
      await commitIdentity([
        db
          .updateTable('subjects')
          .set({ confirmed_at: 1 })
          .where('user_id', '=', person.id)
          .compile(),
      ])
      return person
    }
    /** The rule began long ago. */
    async function age(days: number): Promise<number> {
      const since = Date.now() - days * day
      const { db, commitIdentity } = world.muster.database
      await commitIdentity([
        db
          .updateTable('domains')
          .set({ local_passwords_since: since })
          .where('id', '=', 'default')
          .compile(),
      ])
      return since
    }

    test('also once it is erased', async () => {
      const person = await addLinked()
      assert.equal(await confirmedAt(person), null, 'a password needs no provider')
      await restrict()
      const since = await age(31)
      assert.equal(await confirmedAt(person), since)
      await createErasePasswords(world.muster.database)(Date.now())
      const { db } = world.muster.database
      const row = db.selectFrom('users').select('password_hash').where('id', '=', person.id)
      assert.equal((await row.executeTakeFirstOrThrow()).password_hash, null)
      assert.equal(await confirmedAt(person), since)
    })

    test('of a user who is no longer break-glass, from then on', async () => {
      const person = await addLinked({ break_glass: true })
      await restrict()
      await age(31)
      assert.equal(await confirmedAt(person), null)
      const before = Date.now()
      assert.equal((await world.changeUser(person.id, { break_glass: false })).status, 200)
      const at = await confirmedAt(person)
      assert.ok(at !== null && at >= before - 1_000, `${at}`)
      await createErasePasswords(world.muster.database)(Date.now())
      assert.equal(await confirmedAt(person), at)
    })
  })
})
