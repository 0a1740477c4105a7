import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { passwordLinkHours, type EventDto } from '@muster/contract'
import { ask, requestToken } from '../../testing/client.ts'
import { comparableParts } from '../../testing/comparable-response.ts'
import { createAdminClient } from '../../testing/contract-client.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

interface Link {
  readonly secret: string
  readonly expires_at: string
}

const password = 'tussocky moorland'
const perMinute = 20

onBothEngines('a link to set a first password', (engine) => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let admin: Awaited<ReturnType<typeof createAdminClient>>
  let now = Date.now()
  before(async () => {
    platform = await startPlatform({
      engine,
      clock: () => now,
      flags: [`--login-failures-per-minute=${perMinute}`],
    })
    identities = createIdentityWorld(platform.database)
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  let serial = 0
  async function addPerson(changes: Partial<Parameters<IdentityWorld['addUser']>[0]> = {}) {
    serial += 1
    const name = `invited ${serial}`
    return { id: await identities.addUser({ name, ...changes }), name }
  }
  const createLink = async (id: string) =>
    (await admin.get<{ password_link: Link }>('createPasswordLink', { path: { id } })).password_link
  const use = (secret: string, next = password) =>
    ask(platform.url, '/v3/auth/password', { method: 'POST', body: { secret, password: next } })
  const logIn = async (id: string, secret = password) => {
    const user = { id, password: secret }
    const identity = { methods: ['password'], password: { user } }
    return (await requestToken(platform.url, { identity })).status
  }
  const update = (id: string, user: object) =>
    admin.get('updateUser', { path: { id }, body: { user } })
  const eventsOf = async (id: string) => {
    const query = `target_id=${id}&order=asc`
    const { events } = await admin.get<{ events: EventDto[] }>('listEvents', { query })
    return events.map(({ action, user_id, result, changes }) => [
      action,
      user_id,
      result,
      Object.entries(changes),
    ])
  }
  const hidden = ['(hidden)', '(hidden)']
  /** A minute later the failures of the address are forgotten. */
  const forgetFailures = () => void (now += 61_000)

  /** A link for a member of a domain, by its administrator. */
  async function invite(domain: string) {
    const domainId = await identities.addDomain(domain)
    const head = await identities.addUser({ name: `head of ${domain}`, domainId })
    const member = await identities.addUser({ name: `member of ${domain}`, domainId })
    const assignment = await identities.assign({ role: 'domain_admin', userId: head, domainId })
    const token = await insertToken(platform.database, {
      userId: head,
      scope: { kind: 'domain', id: domainId },
      issuedAt: now,
      expiresAt: now + 3_600_000,
    })
    const path = `/v3/users/${member}/password-link`
    const { body } = await ask<{ password_link: Link }>(platform.url, path, {
      method: 'POST',
      token,
    })
    return { domainId, head, member, assignment, secret: body.password_link.secret }
  }
  type Invited = Awaited<ReturnType<typeof invite>>

  test('works once, is recorded, and its secret is stored nowhere', async () => {
    const { id, name } = await addPerson()
    const { secret, expires_at } = await createLink(id)
    assert.equal(Date.parse(expires_at), now + passwordLinkHours * 3_600_000)
    assert.match(secret, /^mpl1_[\w-]{43}$/)
    assert.doesNotMatch(JSON.stringify(await dumpTables(platform.database)), new RegExp(secret))
    assert.equal(await logIn(id), 401)

    const answer = await use(secret)
    assert.equal(answer.status, 200)
    const domain = { id: 'default', name: 'Default' }
    assert.deepEqual(answer.body, { user: { id, name, domain } })
    assert.equal(await logIn(id), 201)
    assert.equal((await use(secret, 'another moorland')).status, 401)
    assert.equal(await logIn(id, 'another moorland'), 401)
    const told = (await eventsOf(id)).filter(([action]) => action === 'update')
    assert.deepEqual(told, [
      ['update', admin.userId, 'success', [['password_link', hidden]]],
      ['update', id, 'success', [['password', hidden]]],
    ])
    forgetFailures()
  })

  test('that cannot be used is the same 401, whatever the reason is', async () => {
    const reasons: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      'the user is disabled': (id) => update(id, { enabled: false }),
      'the user was disabled meanwhile': async (id) => {
        await update(id, { enabled: false })
        await update(id, { enabled: true })
      },
      'the user has expired': (id) =>
        update(id, { expires_at: new Date(now - 1_000).toISOString() }),
      'a password was set': (id) => update(id, { password: 'set by somebody' }),
      'a password was set and removed': async (id) => {
        await update(id, { password: 'set by somebody' })
        await update(id, { password: null })
      },
      'a newer link exists': createLink,
      'the user is deleted': (id) => admin.call('deleteUser', { path: { id } }),
    }
    const invented = comparableParts(await use(`mpl1_${'A'.repeat(43)}`))
    assert.equal(invented.status, 401)
    for (const [reason, spoil] of Object.entries(reasons)) {
      const { id } = await addPerson()
      const { secret } = await createLink(id)
      await spoil(id)
      assert.deepEqual(comparableParts(await use(secret)), invented, reason)
      assert.equal(await logIn(id), 401, reason)
      forgetFailures()
    }
  })

  test('sets one password if it is used several times at once', async () => {
    const { id } = await addPerson()
    const { secret } = await createLink(id)
    const wanted = ['moorland one', 'moorland two', 'moorland three']
    const statuses = await Promise.all(wanted.map(async (each) => (await use(secret, each)).status))
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 401, 401],
    )
    const right = await Promise.all(wanted.map((each) => logIn(id, each)))
    assert.deepEqual(
      right.map((status) => status === 201),
      statuses.map((status) => status === 200),
    )
    forgetFailures()
  })

  test('is not used up by a password that is refused', async () => {
    const { id } = await addPerson()
    const { secret } = await createLink(id)
    for (const weak of ['short', 'password1']) {
      const { status, body } = await use(secret, weak)
      assert.deepEqual([status, body.class], [400, 'WeakPasswordError'])
    }
    assert.equal((await use(secret)).status, 200)
    assert.equal(await logIn(id), 201)
  })

  test('is refused for a user with a password, and one who cannot log in', async () => {
    const people = [
      await addPerson({ passwordHash: 'of a password' }),
      await addPerson({ enabled: false }),
      await addPerson({ expiresAt: now - 1_000 }),
    ]
    for (const { id } of people) {
      await admin.fail('InvalidStatusError', 'createPasswordLink', { path: { id } })
    }
    const path = { id: 'none' }
    await admin.fail('ResourceNotFoundError', 'createPasswordLink', { path })
  })

  test('is created by those who may set the password', async () => {
    const domainId = await identities.addDomain('Botany')
    const head = await identities.addUser({ name: 'head', domainId })
    await identities.assign({ role: 'domain_admin', userId: head, domainId })
    const token = await insertToken(platform.database, {
      userId: head,
      scope: { kind: 'domain', id: domainId },
      issuedAt: now,
      expiresAt: now + 3_600_000,
    })
    const tryLink = async (id: string) =>
      (await ask(platform.url, `/v3/users/${id}/password-link`, { method: 'POST', token })).status
    const member = await identities.addUser({ name: 'a member', domainId })
    assert.equal(await tryLink(member), 201)
    const steward = await identities.addUser({ name: 'a steward', domainId })
    await identities.assign({ role: 'auditor', userId: steward })
    assert.equal(await tryLink(steward), 403)
    assert.equal(await tryLink((await addPerson()).id), 404)
    await identities.assign({ role: 'domain_viewer', userId: member, domainId })
    const ofMember = await insertToken(platform.database, {
      userId: member,
      scope: { kind: 'domain', id: domainId },
      issuedAt: now,
      expiresAt: now + 3_600_000,
    })
    const other = await identities.addUser({ name: 'another member', domainId })
    const options = { method: 'POST', token: ofMember }
    assert.equal((await ask(platform.url, `/v3/users/${other}/password-link`, options)).status, 403)
  })

  test('ends when its creator could not create it any more', async () => {
    const roles: { readonly [event: string]: (world: Invited) => Promise<unknown> } = {
      'the user gets a role on the system': ({ member }) =>
        identities.assign({ role: 'auditor', userId: member }),
      'a group of the user gets one': async ({ member }) => {
        const groupId = await identities.addGroup('raised', [member])
        await identities.assign({ role: 'auditor', groupId })
      },
      'the creator is disabled': ({ head }) => update(head, { enabled: false }),
      'the creator is deleted': ({ head }) => admin.call('deleteUser', { path: { id: head } }),
      'the creator loses the role': ({ assignment }) =>
        platform.database.commitIdentity([
          platform.database.db.deleteFrom('assignments').where('id', '=', assignment).compile(),
        ]),
    }
    for (const [event, happen] of Object.entries(roles)) {
      const world = await invite(event)
      await happen(world)
      assert.equal((await use(world.secret)).status, 401, event)
      assert.equal(await logIn(world.member), 401, event)
      forgetFailures()
    }
    const { secret, member, domainId } = await invite('nothing that matters')
    await identities.assign({ role: 'domain_viewer', userId: member, domainId })
    assert.equal((await use(secret)).status, 200, 'a role that the creator could give')
  })

  test('ends the delay after guesses at the name', async () => {
    const { id } = await addPerson()
    const { secret } = await createLink(id)
    for (let tries = 0; tries < 12; tries += 1) await logIn(id, `guess ${tries}`)
    assert.equal((await use(secret)).status, 200)
    assert.equal(await logIn(id), 201)
    forgetFailures()
  })

  test('has a limit of failures of an address, and only those of links that exist are recorded', async () => {
    const { id } = await addPerson()
    const { secret } = await createLink(id)
    const failures = async () => {
      const { db } = platform.database
      const rows = db
        .selectFrom('events')
        .select(['user_id', 'changes'])
        .where('result', '=', 'failure')
      return (await rows.where('target_id', '=', id).where('action', '=', 'update').execute())
        .length
    }
    const countEvents = async () =>
      (await platform.database.db.selectFrom('events').select('id').execute()).length
    const before = await countEvents()
    for (let tries = 0; tries < perMinute; tries += 1) {
      assert.equal((await use(`mpl1_${tries}`)).status, 401)
    }
    assert.equal((await use('mpl1_more')).status, 429)
    assert.equal((await use(secret)).status, 429, 'nothing is looked up')
    assert.equal(await countEvents(), before)
    assert.equal(await logIn(id, 'a guess'), 401, 'logins are counted apart')
    now += passwordLinkHours * 3_600_000
    assert.equal((await use(secret)).status, 401, 'it has expired')
    assert.equal(await failures(), 1)
  })
})
