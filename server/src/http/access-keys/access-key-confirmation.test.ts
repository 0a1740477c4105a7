import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, secretOf } from '../../testing/client.ts'
import {
  createKeyHolders,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { providerRow } from '../../testing/identity-world/identity-rows.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const day = 86_400_000
const start = Date.UTC(2027, 0, 31, 12)

onEngineOfLane('access keys of users who log in at an identity provider', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let now = start
  const provider = providerRow('acme', 'default')
  const partners = providerRow('partners', 'default')
  before(async () => {
    const flags = ['--login-failures-per-minute=0', '--key-confirmation=10d', '--token-ttl=24h']
    platform = await startPlatform({ engine, clock: () => now, flags })
    holders = createKeyHolders(platform, () => now)
    const { db } = platform.database
    await platform.database.commitIdentity([
      db.insertInto('identity_providers').values([provider, partners]).compile(),
    ])
  })
  after(() => platform.close())

  const { id: acme } = provider
  async function confirm({ userId }: KeyHolder, at: number, provider_id = acme): Promise<void> {
    const row = { provider_id, subject: userId, user_id: userId, confirmed_at: at }
    const { db } = platform.database
    const insert = db
      .insertInto('subjects')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['provider_id', 'subject']).doUpdateSet({ confirmed_at: at }),
      )
    await platform.database.commit([insert.compile()])
  }
  async function setPassword({ userId }: KeyHolder, password_hash: string | null): Promise<void> {
    const { db } = platform.database
    const update = db.updateTable('users').set({ password_hash }).where('id', '=', userId)
    await platform.database.commitIdentity([update.compile()])
  }
  const logIn = (key: HeldKey) => holders.login(holders.present('own', key))
  const statusOf = async (key: HeldKey) => (await logIn(key)).status
  async function addHolder(): Promise<readonly [KeyHolder, HeldKey]> {
    now = start
    const owner = await holders.addHolder()
    return [owner, await holders.makeOwnKey(owner)]
  }

  test('stop working some time after the last login there, and work again after the next', async () => {
    const [owner, key] = await addHolder()
    await confirm(owner, start)
    now = start + 10 * day - 1
    assert.equal(await statusOf(key), 201)
    now = start + 10 * day
    assert.equal(await statusOf(key), 401)
    await confirm(owner, now)
    assert.equal(await statusOf(key), 201)
  })

  test('give no token that lives longer', async () => {
    const [owner, key] = await addHolder()
    await confirm(owner, start)
    now = start + 10 * day - 3_600_000
    const answer = await logIn(key)
    assert.equal(Date.parse(answer.body.token.expires_at), start + 10 * day)
    const token = secretOf(answer)
    now = start + 10 * day
    assert.equal((await ask(platform.url, '/v3/auth/catalog', { token })).status, 401)
  })

  test('need a login at one of several providers', async () => {
    const [owner, key] = await addHolder()
    await confirm(owner, start)
    await confirm(owner, start + 5 * day, partners.id)
    now = start + 12 * day
    assert.equal(await statusOf(key), 201)
    now = start + 15 * day
    assert.equal(await statusOf(key), 401)
  })

  test('need none if the user has a password, or no provider', async () => {
    const [owner, key] = await addHolder()
    const [, automation] = await addHolder()
    await confirm(owner, start)
    await setPassword(owner, 'a hash')
    now = start + 1_000 * day
    assert.deepEqual([await statusOf(key), await statusOf(automation)], [201, 201])
    await setPassword(owner, null)
    assert.equal(await statusOf(key), 401)
  })
})
