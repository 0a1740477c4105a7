import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { LinkedLoginDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
} from '../../testing/client.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  startLinkWorld,
  userPassword,
  type LinkablePerson,
  type LinkWorld,
} from '../../testing/link-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onEngineOfLane('a login at a provider that is linked to a user', (engine) => {
  const lifetime = suiteLifetime()
  let world: LinkWorld
  before(async () => {
    world = await startLinkWorld(lifetime, engine)
  })

  test('takes a fresh login with the password', async () => {
    const user = await world.addUser()
    const root = await world.proofOf(user)
    const old = await world.proofOf(user)
    const revoked = await world.proofOf(user)
    const headers = { 'x-subject-token': revoked }
    await ask(world.muster.url, '/v3/auth/tokens', { method: 'DELETE', token: revoked, headers })
    const { db } = world.muster.database
    const issued_at = Date.now() - 600_001
    const latest = db
      .selectFrom('tokens')
      .where('user_id', '=', user.id)
      .orderBy('issued_at', 'desc')
    const { id } = await latest.select('id').limit(1).executeTakeFirstOrThrow()
    const aged = db.updateTable('tokens').set({ issued_at }).where('id', '=', id).compile()
    const linked = await world.logInAt(world.oidc, { sub: newId() })
    const proofs: Record<string, string> = {
      nothing: 'x',
      'a revoked token': revoked,
      'a token of an access key': secretOf(await world.logIn(keyIdentity(user.key))),
      'a token of a provider': secretOf(linked),
      'a token of a token': secretOf(await world.logIn(tokenIdentity(root))),
    }
    await world.muster.database.commitIdentity([aged])
    proofs['an old one'] = old
    const before = await world.takePicture()
    for (const [name, link] of Object.entries(proofs)) {
      const answer = await world.logInAt(world.oidc, { sub: newId() }, link)
      await world.muster.assertRefused(answer, /recent login with the password/)
      assert.deepEqual(await world.takePicture(), before, name)
    }
    for (const identity of [
      world.passwordOf(user.id),
      tokenIdentity(root),
      keyIdentity(user.key),
    ]) {
      const answer = await requestToken(world.muster.url, { identity, link: { token: root } })
      assertError(answer, 'InputParameterError', 'application/json')
    }
    assert.equal((await world.logInAt(world.oidc, { sub: newId() }, root)).status, 201)
  })

  test('links a subject of nobody else, to a user of the domain, who keeps everything', async () => {
    const user = await world.addUser()
    const subject = newId()
    const before = await world.takePicture()
    const linked = await world.logInAt(world.oidc, { sub: subject }, await world.proofOf(user))
    assert.equal(linked.body.token.user.Id, user.id)
    const { rest, links } = await world.takePicture()
    assert.deepEqual(rest, before.rest)
    assert.deepEqual(links, [...before.links, `${world.provider} ${subject} ${user.id}`].sort())
    const others = [await world.addUser(), await world.addUser({ domain_id: world.away })]
    for (const [at, sub] of [subject, newId()].entries()) {
      const other = others[at] ?? assert.fail()
      const answer = await world.logInAt(world.oidc, { sub }, await world.proofOf(other))
      await world.muster.assertRefused(answer, /of another (?:user|domain)/)
    }
    const again = await world.logInAt(world.oidc, { sub: newId() }, await world.proofOf(user))
    await world.muster.assertRefused(again, /has another login/)
    assert.deepEqual((await world.takePicture()).links, links)
  })

  test('is never found by name or e-mail address, verified or not', async () => {
    const email = 'victim@example.org'
    const victim = await world.addUser({ email })
    const spellings = [
      victim.name,
      victim.name.toUpperCase(),
      `${victim.name[0]}${victim.name.slice(1)}`,
    ]
    for (const verified of [true, false, undefined]) {
      for (const preferred_username of spellings) {
        const claims = { sub: newId(), preferred_username, email, email_verified: verified }
        await world.muster.assertRefused(await world.logInAt(world.oidc, claims), /did not create/)
      }
      const stranger = await world.logInAt(world.oidc, {
        sub: newId(),
        email,
        email_verified: verified,
      })
      assert.notEqual(stranger.body.token.user.Id, victim.id)
    }
    assert.ok(!(await world.takePicture()).links.some((link) => link.includes(victim.id)))
  })

  describe('by a list', () => {
    test('is all or nothing, and each link is an event', async () => {
      const [one, two] = [await world.addUser(), await world.addUser()]
      const [a, b] = [newId(), newId()]
      const foreign = await world.addUser({ domain_id: world.away })
      const taken = newId()
      await world.send([world.entry(await world.addUser(), taken)], false)
      const linked = await world.addUser()
      await world.send([world.entry(linked, newId())], false)
      const lists: Record<string, readonly object[]> = {
        'a user that does not exist': [
          world.entry(one, a),
          { ...world.entry(two, b), user_id: newId() },
        ],
        'a provider that does not exist': [world.entry(one, a), world.entry(two, b, newId())],
        'a user of another domain': [world.entry(one, a), world.entry(foreign, b)],
        'a subject of somebody else': [world.entry(one, a), world.entry(two, taken)],
        'a user with another login': [world.entry(one, a), world.entry(linked, b)],
        'a subject twice': [world.entry(one, a), world.entry(two, a)],
        'a user twice': [world.entry(one, a), world.entry(one, b)],
        'the same twice': [world.entry(one, a), world.entry(one, a)],
      }
      const before = await world.takePicture()
      const eventsBefore = (await world.muster.events('action=link')).length
      for (const [name, list] of Object.entries(lists)) {
        const refused = await world.send(list, false)
        assertError(refused, 'ConflictError')
        assert.deepEqual(await world.takePicture(), before, name)
      }
      const list = [
        world.entry(one, a),
        world.entry(two, b),
        world.entry(two, a, world.otherProvider),
      ]
      await world.send(list, true)
      assert.equal((await world.muster.events('action=link')).length, eventsBefore)
      assert.equal((await world.send(list, false)).status, 200)
      const events = await world.muster.events('action=link')
      assert.equal(events.length, eventsBefore + 3)
      assert.deepEqual(events.find(({ target_id }) => target_id === one.id)?.changes, {
        linked_login: [null, { provider: 'acme', subject: a }],
      })
    })

    test('is for administrators who could grant what the users have', async () => {
      const admin = await world.addUser()
      await world.muster.identities.assign({
        role: 'domain_admin',
        userId: admin.id,
        domainId: 'default',
      })
      const scope = { domain: { id: 'default' } }
      const request = { identity: passwordIdentity(admin.name, userPassword), scope }
      const token = secretOf(await requestToken(world.muster.url, request))
      const mighty = await world.addUser()
      await world.muster.identities.assign({ role: 'admin', userId: mighty.id })
      const mine = await world.addUser()
      const foreign = await world.addUser({ domain_id: world.away })
      const before = await world.takePicture()
      const list = [mighty, mine, foreign].map((user) => world.entry(user, newId()))
      const { body } = await world.send(list, true, token)
      assert.deepEqual(
        body.linked_logins.map(({ result, user_name }) => [result, user_name]),
        [
          ['refused', mighty.name],
          ['link', mine.name],
          ['refused', ''],
        ],
      )
      assertError(await world.send(list, false, token), 'ForbiddenError')
      const usual = await world.proofOf(mine)
      assertError(await world.send([world.entry(mine, newId())], true, usual), 'ForbiddenError')
      assert.deepEqual(await world.takePicture(), before)
      assert.equal((await world.send([world.entry(mine, newId())], false, token)).status, 200)
    })
  })

  describe('that is unlinked', () => {
    const pathOf = ({ id }: LinkablePerson, at = world.provider) =>
      `/v3/users/${id}/linked_logins/${at}`
    const show = ({ id }: LinkablePerson, token?: string) =>
      world.succeed<{ linked_logins: LinkedLoginDto[] }>(
        'GET',
        `/v3/users/${id}/linked_logins`,
        undefined,
        token,
      )

    test('ends its tokens and mapped roles, and nothing else', async () => {
      const rule = {
        role_id: await world.muster.roleId('project_viewer'),
        project_id: world.project,
      }
      await world.muster.changeProvider(world.provider, { mapping: [rule] })
      const user = await world.addUser()
      const subject = newId()
      const own = await world.proofOf(user)
      const token = secretOf(await world.logInAt(world.oidc, { sub: subject }, own))
      const { linked_logins } = await show(user, own)
      assert.deepEqual(
        linked_logins.map((login) => [login.provider, login.subject]),
        [[{ id: world.provider, name: 'acme', driver: 'oidc' }, subject]],
      )
      const rolesOf = async () => {
        const { db } = world.muster.database
        const rows = db.selectFrom('assignments').where('user_id', '=', user.id).selectAll()
        return (await rows.execute()).map(({ provider_id }) => provider_id)
      }
      assert.deepEqual(new Set(await rolesOf()), new Set([null, world.provider]))
      // Nobody else unlinks it, and no program.
      const stranger = await world.proofOf(await world.addUser())
      assert.equal(
        (await world.muster.call('DELETE', pathOf(user), undefined, stranger)).status,
        404,
      )
      const program = secretOf(await world.logIn(keyIdentity(user.key)))
      assertError(
        await world.muster.call('DELETE', pathOf(user), undefined, program),
        'ForbiddenError',
      )
      assert.equal(
        (await world.muster.call('DELETE', pathOf(user, world.otherProvider))).status,
        404,
      )

      await world.succeed('DELETE', pathOf(user), undefined, own)
      await world.muster.changeProvider(world.provider, { mapping: [] })
      assert.deepEqual((await show(user)).linked_logins, [])
      assert.deepEqual(await rolesOf(), [null])
      const statusOf = async (secret: string) =>
        (await ask(world.muster.url, '/v3/auth/catalog', { token: secret })).status
      assert.deepEqual([await statusOf(token), await statusOf(own)], [401, 200])
      assert.equal((await world.logIn(keyIdentity(user.key))).status, 201)
      const later = await world.logInAt(world.oidc, { sub: subject })
      assert.notEqual(later.body.token.user.Id, user.id)
      const [event] = await world.muster.events(`action=unlink&target_id=${user.id}`)
      assert.deepEqual(event?.changes, {
        linked_login: [{ provider: 'acme', subject }, null],
      })
    })

    test('must not be the last way to log in', async () => {
      const answer = await world.logInAt(world.oidc, { sub: newId() })
      const { Id: id, Name: name } = answer.body.token.user
      const user = await world.equip({ id, name })
      const own = secretOf(answer)
      const before = await world.takePicture()
      for (const token of [own, world.muster.admin]) {
        assertError(
          await world.muster.call('DELETE', pathOf(user), undefined, token),
          'InvalidStatusError',
        )
      }
      await world.send([world.entry(user, newId(), world.otherProvider)], false)
      await world.muster.changeProvider(world.otherProvider, { enabled: false })
      assertError(await world.muster.call('DELETE', pathOf(user)), 'InvalidStatusError')
      await world.muster.changeProvider(world.otherProvider, { enabled: true })
      assert.deepEqual((await world.takePicture()).rest, before.rest)
      await world.succeed('DELETE', pathOf(user))
      assertError(
        await world.muster.call('DELETE', pathOf(user, world.otherProvider)),
        'InvalidStatusError',
      )
    })
  })
})
