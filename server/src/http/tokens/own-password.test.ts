import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, requestToken, secretOf } from '../../testing/client.ts'
import { createContractClient } from '../../testing/contract-client.ts'
import {
  plainHash,
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const original_password = 'tussocky moorland'
const password = 'moorland tussocks'

onEngineOfLane("changing one's own password", (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let identities: IdentityWorld
  let now = Date.now()
  before(async () => {
    platform = await startPlatform({ engine })
    logins = await startMeasuredLogins(platform, { clock: () => now })
    identities = createIdentityWorld(platform.database)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const logIn = (id: string, secret: string) =>
    requestToken(logins.url, {
      identity: { methods: ['password'], password: { user: { id, password: secret } } },
    })
  let serial = 0
  async function addPerson() {
    serial += 1
    const passwordHash = plainHash(original_password)
    const id = await identities.addUser({ name: `person ${serial}`, passwordHash })
    const token = secretOf(await logIn(id, original_password))
    const client = createContractClient(logins.url, token)
    const change = (user: object, of = id) =>
      client.call('changeOwnPassword', { path: { id: of }, body: { user } })
    return { id, token, client, change }
  }
  const statusOf = async (token: string) =>
    (await ask(logins.url, '/v3/auth/projects', { token })).status

  test('requires the current password and ends every token', async () => {
    const { id, token, change } = await addPerson()
    const another = secretOf(await logIn(id, original_password))
    assert.equal((await change({ original_password, password })).status, 204)
    assert.deepEqual([await statusOf(token), await statusOf(another)], [401, 401])
    assert.equal((await logIn(id, original_password)).status, 401)
    assert.equal((await logIn(id, password)).status, 201)
  })

  test('succeeds for one of several requests at the same time', async () => {
    const { id, change } = await addPerson()
    const wanted = ['moorland one', 'moorland two', 'moorland three']
    const answers = await Promise.all(
      wanted.map((each) => change({ original_password, password: each })),
    )
    const changed = wanted.filter((_, at) => answers[at]?.status === 204)
    assert.equal(changed.length, 1, JSON.stringify(answers.map(({ status }) => status)))
    const logins = await Promise.all(wanted.map((each) => logIn(id, each)))
    assert.deepEqual(
      wanted.filter((_, at) => logins[at]?.status === 201),
      changed,
    )
  })

  test('is denied with a wrong current password', async () => {
    const { id, token, change } = await addPerson()
    const answer = await change({ original_password: 'a guess', password })
    assert.deepEqual([answer.status, answer.body.class], [401, 'UnauthorizedError'])
    assert.equal(await statusOf(token), 200)
    assert.equal((await logIn(id, password)).status, 401)
    assert.equal((await logIn(id, original_password)).status, 201)
  })

  test('SEC-22: ten wrong current passwords count as ten failed logins and cause the delay', async () => {
    const { id, change } = await addPerson()
    const wrong = []
    for (let tries = 0; tries < 10; tries += 1) {
      const { real } = logins.counts
      wrong.push(comparableParts(await change({ original_password: `guess ${tries}`, password })))
      assert.equal(logins.counts.real, real + 1)
    }
    const { real } = logins.counts
    const right = await change({ original_password, password })
    assert.deepEqual(comparableParts(right), wrong[0], 'nobody can tell that it was right')
    assert.equal((await logIn(id, original_password)).status, 401, 'nor log in meanwhile')
    assert.equal(logins.counts.real, real, 'and nothing is compared')
    now += 60_000
    assert.equal((await change({ original_password, password })).status, 204)
    assert.equal((await logIn(id, password)).status, 201)
  })

  test('SEC-22: shares the failure count with logins, and a success resets it', async () => {
    const { id, change } = await addPerson()
    for (let tries = 0; tries < 9; tries += 1) {
      assert.equal((await logIn(id, `guess ${tries}`)).status, 401)
    }
    assert.equal((await change({ original_password: 'tenth guess', password })).status, 401)
    assert.equal((await logIn(id, original_password)).status, 401)
    now += 60_000
    assert.equal((await change({ original_password, password })).status, 204)
    for (let tries = 0; tries < 9; tries += 1) await logIn(id, `guess ${tries}`)
    assert.equal((await logIn(id, password)).status, 201)
  })

  test('is 404 for every other user, known or not', async () => {
    const { change } = await addPerson()
    const other = await addPerson()
    const before = await dumpTables(platform.database)
    const { real, decoy } = logins.counts
    const [there, absent] = [
      await change({ original_password, password }, other.id),
      await change({ original_password, password }, 'none'),
    ]
    assert.deepEqual(comparableParts(there), comparableParts(absent))
    assert.deepEqual([there.status, there.body.class], [404, 'ResourceNotFoundError'])
    assert.deepEqual(logins.counts, { real, decoy })
    assert.deepEqual(await dumpTables(platform.database), before)
  })

  test('rejects a weak password and names missing fields', async () => {
    const { id, client, change } = await addPerson()
    const path = { id }
    const weak = { user: { original_password, password: 'password1' } }
    await client.fail('WeakPasswordError', 'changeOwnPassword', { path, body: weak })
    const wrong: [object, string][] = [
      [{ password }, 'user.original_password'],
      [{ original_password }, 'user.password'],
      [{ original_password: '', password }, 'user.original_password'],
      [{ original_password, password: '' }, 'user.password'],
      [{ original_password, password: null }, 'user.password'],
      [{ original_password: 7, password }, 'user.original_password'],
      [{ original_password, password, id }, 'user.id'],
    ]
    for (const [user, field] of wrong) {
      const answer = await change(user)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.fields?.[0]?.path, field)
    }
    assert.equal((await logIn(id, original_password)).status, 201)
  })

  test('is denied for a user without a password', async () => {
    const { id, token } = await addPerson()
    const { db } = platform.database
    const without = db.updateTable('users').set({ password_hash: null }).where('id', '=', id)
    await identities.change(without.compile())
    const client = createContractClient(logins.url, token)
    const body = { user: { original_password, password } }
    await client.fail('UnauthorizedError', 'changeOwnPassword', { path: { id }, body })
  })
})
