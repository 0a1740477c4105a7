import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assertError } from '../../testing/assert-error.ts'
import { newId } from '../../domain/new-id.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { keyIdentity } from '../../testing/identity-world/access-key-holders.ts'
import { startLinkWorld, type LinkablePerson, type LinkWorld } from '../../testing/link-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onBothEngines('a login at a provider, linked to a user', (engine) => {
  const lifetime = suiteLifetime()
  let world: LinkWorld
  before(async () => {
    world = await startLinkWorld(lifetime, engine)
  })

  describe('by either proof, whoever the user is:', () => {
    type Outcome = 'link' | 'unchanged' | 'refused'
    interface State {
      /** The user, and what the provider says about the person besides the subject. */
      readonly prepare: (subject: string) => Promise<readonly [LinkablePerson, object?]>
      readonly prove: Outcome
      readonly list: Outcome
      /** Whether the person can log in afterwards. */
      readonly isLocked?: true
    }
    const states: Record<string, State> = {
      'a user with a password': {
        prepare: async () => [await world.addUser()],
        prove: 'link',
        list: 'link',
      },
      'a user of another provider': {
        async prepare() {
          const answer = await world.logInAt(world.other, { sub: newId() })
          const { Id: id, Name: name } = answer.body.token.user
          return [await world.equip({ id, name })]
        },
        prove: 'refused',
        list: 'link',
      },
      'a user with another subject of this provider': {
        async prepare() {
          const user = await world.addUser()
          await world.succeed('POST', '/v3/linked_logins', {
            linked_logins: [world.entry(user, newId())],
          })
          return [user]
        },
        prove: 'refused',
        list: 'refused',
      },
      'a disabled user': {
        async prepare() {
          const user = await world.addUser()
          await world.succeed('POST', `/v3/users/${user.id}/disable`, {})
          return [user]
        },
        prove: 'refused',
        list: 'link',
        isLocked: true,
      },
      'a user of another domain': {
        prepare: async () => [await world.addUser({ domain_id: world.away })],
        prove: 'refused',
        list: 'refused',
      },
      'a user who has the login already': {
        async prepare(subject) {
          const user = await world.addUser()
          await world.succeed('POST', '/v3/linked_logins', {
            linked_logins: [world.entry(user, subject)],
          })
          return [user]
        },
        prove: 'unchanged',
        list: 'unchanged',
      },
      'a subject of somebody else': {
        async prepare(subject) {
          assert.equal((await world.logInAt(world.oidc, { sub: subject })).status, 201)
          return [await world.addUser()]
        },
        prove: 'refused',
        list: 'refused',
      },
      'the subject of somebody else at another issuer': {
        async prepare(subject) {
          assert.equal((await world.logInAt(world.other, { sub: subject })).status, 201)
          return [await world.addUser()]
        },
        prove: 'link',
        list: 'link',
      },
      'a name that differs by case': {
        async prepare() {
          const user = await world.addUser({ name: `ada-${newId()}`, email: 'ada@example.org' })
          return [user, { preferred_username: user.name.toUpperCase(), email: 'ADA@example.org' }]
        },
        prove: 'link',
        list: 'link',
      },
    }
    /** Each tries to link a subject, and returns what happened. */
    const ways = {
      async prove(user: LinkablePerson, subject: string, claims: object): Promise<Outcome> {
        const before = (await world.takePicture()).links
        const answer = await world.logInAt(
          world.oidc,
          { sub: subject, ...claims },
          await world.proofOf(user),
        )
        if (answer.status !== 201) {
          await world.muster.assertRefused(answer, /^OIDC: |disabled/)
          return 'refused'
        }
        assert.equal(answer.body.token.user.Id, user.id)
        return (await world.takePicture()).links.length > before.length ? 'link' : 'unchanged'
      },
      async list(user: LinkablePerson, subject: string): Promise<Outcome> {
        const before = await world.takePicture()
        const preview = await world.send([world.entry(user, subject)], true)
        assert.equal(preview.status, 200, preview.text)
        assert.deepEqual(await world.takePicture(), before, 'the preview changed something')
        const [{ result, problem, user_name } = assert.fail()] = preview.body.linked_logins
        assert.deepEqual([problem !== '', user_name], [result === 'refused', user.name])
        const answer = await world.send([world.entry(user, subject)], false)
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
          const before = await world.takePicture()
          const expected = state[way as keyof typeof ways]
          assert.equal(await attempt(user, subject, claims), expected)

          const { rest, links } = await world.takePicture()
          assert.deepEqual(rest, before.rest, 'a user, a role or a key changed')
          const added = expected === 'link' ? [`${world.provider} ${subject} ${user.id}`] : []
          assert.deepEqual(links, [...before.links, ...added].sort())
          const isOpen = state.isLocked !== true
          assert.equal((await world.logIn(keyIdentity(user.key))).status, isOpen ? 201 : 401)
          if (expected === 'refused') return
          const later = await world.logInAt(world.oidc, { sub: subject })
          if (isOpen) assert.equal(later.body.token.user.Id, user.id)
          else assert.equal(later.status, 401)
        })
      }
    }
  })
})
