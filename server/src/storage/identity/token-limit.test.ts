import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { PlatformError } from '../../domain/error.ts'
import { newId } from '../../domain/new-id.ts'
import type { TokenRecord } from '../../domain/identity/records.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { makeEvent, makeToken } from '../../testing/identity-world/identity-records.ts'
import type { Database } from '../database.ts'
import { createTokenStore } from './tokens.ts'

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000

const tokenOf = (userId: string, changes: Partial<TokenRecord> = {}) =>
  makeToken({ id: newId(), userId, issuedAt: start, expiresAt: start + hour, ...changes })

/** Tries to write so many tokens at once, and counts those that were. */
async function insertAtOnce(
  stores: readonly ReturnType<typeof createTokenStore>[],
  userId: string,
) {
  const outcomes = await Promise.allSettled(
    stores.map((tokens) => tokens.insert(tokenOf(userId), {}, makeEvent())),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  for (const outcome of refused) assertFull((outcome as PromiseRejectedResult).reason)
  return outcomes.length - refused.length
}

function assertFull(error: unknown): PlatformError {
  assert.ok(error instanceof PlatformError)
  assert.equal(error.class, 'TooManyRequests')
  return error
}

const countTokens = async ({ db }: Database, userId: string) =>
  (await db.selectFrom('tokens').where('user_id', '=', userId).select('id').execute()).length

onBothEngines('the limit on live tokens', (engine) => {
  let storage: TestStorage
  let identities: IdentityWorld
  before(async () => {
    storage = await openStorage(engine)
    identities = createIdentityWorld(storage.database)
  })
  after(() => storage.close())

  test('rejects one more token, reports when the first one expires, and revokes none', async () => {
    const userId = await identities.addUser({ name: newId() })
    const tokens = createTokenStore(storage.database, 3)
    const insert = (changes: Partial<TokenRecord>) =>
      tokens.insert(tokenOf(userId, changes), {}, makeEvent())
    for (const life of [3 * hour, hour, 2 * hour]) await insert({ expiresAt: start + life })
    const error = assertFull(await insert({}).catch((fault: unknown) => fault))
    assert.equal(error.retryAfter, hour / 1_000)
    assert.match(error.message, /--tokens-per-user/)
    assert.equal(await countTokens(storage.database, userId), 3)
    // Once one has expired there is room, whether it has been purged or not.
    assert.equal(await insert({ issuedAt: start + hour, expiresAt: start + 3 * hour }), true)
    assert.equal(
      await createTokenStore(storage.database, 0).insert(tokenOf(userId), {}, makeEvent()),
      true,
    )
  })

  test('is counted per user, including tokens of other processes', async () => {
    const [one, other] = [
      await identities.addUser({ name: newId() }),
      await identities.addUser({ name: newId() }),
    ]
    const stores = [5, 5].map((most) => createTokenStore(storage.database, most))
    assert.equal(await insertAtOnce([...stores, ...stores, ...stores], one), 5)
    assert.equal(await insertAtOnce(stores, other), 2)
  })

  test('is not counted at most logins far from the limit', async () => {
    const userId = await identities.addUser({ name: newId() })
    let reads = 0
    const db = storage.database.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'SelectQueryNode') reads += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const commits: number[] = []
    const commit: Database['commit'] = (statements) => {
      commits.push(statements.length)
      return storage.database.commit(statements)
    }
    const tokens = createTokenStore({ ...storage.database, db, commit }, 10_000)
    const insert = (changes?: Partial<TokenRecord>) =>
      tokens.insert(tokenOf(userId, changes), {}, makeEvent())
    await insert()
    const once = reads
    for (let time = 0; time < 20; time += 1) await insert()
    assert.equal(reads, once)
    assert.deepEqual(new Set(commits), new Set([4]))
    // A second later somebody else may have made more.
    await insert({ issuedAt: start + 1_000 })
    assert.ok(reads > once)
  })

  test('is counted with an index-only scan', async () => {
    const { db } = storage.database
    const plan =
      engine === 'sqlite'
        ? sql`explain query plan select expires_at from tokens where user_id = 'x' and expires_at > 1`
        : sql`select indexdef from pg_indexes where indexname = 'tokens_user_expiry'`
    const { rows } = await plan.execute(db)
    assert.match(JSON.stringify(rows), /COVERING INDEX tokens_user_expiry|\(user_id, expires_at\)/)
  })
})

test('two processes on one PostgreSQL do not exceed the limit on live tokens', async (context) => {
  const storage = await openStorage('postgres')
  context.after(() => storage.close())
  const userId = await createIdentityWorld(storage.database).addUser({ name: 'shared' })
  const processes = [storage.database, await storage.location.open()]
  const stores = processes.map((database) => createTokenStore(database, 20))
  const many = Array.from({ length: 20 }, () => stores).flat()
  assert.equal(await insertAtOnce(many, userId), 20)
  assert.equal(await countTokens(storage.database, userId), 20)
})
