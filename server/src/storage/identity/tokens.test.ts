import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EventRecord } from '../../domain/audit/event.ts'
import type { TokenStore } from '../../domain/identity/ports.ts'
import type { TokenRecord } from '../../domain/identity/records.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { makeEvent, makeToken } from '../../testing/identity-world/identity-records.ts'
import type { Database } from '../database.ts'
import { newId } from '../../domain/new-id.ts'
import { createTokenStore } from './tokens.ts'

const longestChain = 500

onBothEngines('the token store', (engine) => {
  let storage: TestStorage
  let database: Database
  let tokens: TokenStore
  let identities: IdentityWorld
  let userId: string
  let projectId: string
  before(async () => {
    storage = await openStorage(engine)
    database = storage.database
    tokens = createTokenStore(database)
    identities = createIdentityWorld(database)
    userId = await identities.addUser({ name: 'holder' })
    projectId = await identities.addProject('place')
  })
  after(() => storage.close())

  const make = (changes: Partial<TokenRecord> = {}) =>
    makeToken({ id: newId(), userId, ...changes })
  const childOf = (parent: TokenRecord, changes: Partial<TokenRecord> = {}) =>
    make({ parentId: parent.id, generation: parent.generation + 1, method: 'token', ...changes })

  async function insert(token: TokenRecord): Promise<TokenRecord> {
    assert.equal(await tokens.insert(token, {}, makeEvent()), true)
    return token
  }
  const isThere = async ({ id }: TokenRecord) => (await tokens.find(id)) !== undefined
  const isTold = async ({ id }: EventRecord) =>
    (await database.db.selectFrom('events').where('id', '=', id).select('id').execute()).length ===
    1
  const areThere = (list: readonly TokenRecord[]) => Promise.all(list.map(isThere))

  /** A token, one made from it, and so on. */
  async function insertChain(length: number): Promise<TokenRecord[]> {
    const chain = [make()]
    while (chain.length < length) chain.push(childOf(chain.at(-1) ?? make()))
    for (const token of chain) await insert(token)
    return chain
  }

  test('returns stored tokens of every scope', async () => {
    const scopes: TokenRecord['scope'][] = [
      { kind: 'none' },
      { kind: 'project', id: projectId },
      { kind: 'domain', id: 'default' },
    ]
    for (const scope of scopes) {
      const token = await insert(make({ scope, issuedAt: 1_767_225_600_001, source: 'web' }))
      assert.deepEqual(await tokens.find(token.id), token)
    }
    const root = await insert(make())
    const child = await insert(childOf(root))
    assert.deepEqual(await tokens.find(child.id), child)
    assert.equal(await tokens.find('no such token'), undefined)
  })

  test('rejects a token whose user, scope or parent does not exist', async () => {
    const absent = 'not there'
    const orphans = [
      make({ userId: absent }),
      make({ scope: { kind: 'project', id: absent } }),
      make({ scope: { kind: 'domain', id: absent } }),
      make({ parentId: absent, generation: 1 }),
    ]
    for (const orphan of orphans) {
      const event = makeEvent()
      assert.equal(await tokens.insert(orphan, {}, event), false)
      assert.equal(await isThere(orphan), false)
      assert.equal(await isTold(event), false)
    }
  })

  test('records the audit events of a login and a logout in the same commit', async () => {
    const [login, logout] = [makeEvent(), makeEvent({ action: 'logout' })]
    const token = make()
    await tokens.insert(token, {}, login)
    assert.deepEqual([await isTold(login), await isTold(logout)], [true, false])
    await tokens.revoke(token.id, logout)
    assert.deepEqual([await isTold(login), await isTold(logout)], [true, true])
  })

  test('reports a duplicate id as such, not as a missing parent', async () => {
    const token = await insert(make())
    await assert.rejects(tokens.insert(token, {}, makeEvent()), /unique/)
  })

  test('revokes a token with all its descendants and no other', async () => {
    const [root, child, grandchild] = await insertChain(3)
    assert.ok(root && child && grandchild)
    const sibling = await insert(childOf(root))
    const stranger = await insert(make())
    await tokens.revoke(root.id, makeEvent())
    const list = [root, child, grandchild, sibling, stranger]
    assert.deepEqual(await areThere(list), [false, false, false, false, true])
  })

  test('revokes only descendants in the middle of a chain', async () => {
    const chain = await insertChain(6)
    const sibling = await insert(childOf(chain[1] ?? make()))
    await tokens.revoke(chain[2]?.id ?? '', makeEvent())
    assert.deepEqual(await areThere(chain), [true, true, false, false, false, false])
    assert.equal(await isThere(sibling), true)
  })

  test('raises the identity version by a revocation, and accepts a second one', async () => {
    const token = await insert(make())
    const version = database.currentVersion() ?? Number.NaN
    await tokens.revoke(token.id, makeEvent())
    assert.equal(database.currentVersion(), version + 1)
    await tokens.revoke(token.id, makeEvent())
  })

  test('rejects a child of a revoked token', async () => {
    const [root, child] = await insertChain(2)
    assert.ok(root && child)
    await tokens.revoke(root.id, makeEvent())
    for (const parent of [root, child]) {
      const late = childOf(parent)
      assert.equal(await tokens.insert(late, {}, makeEvent()), false)
      assert.equal(await isThere(late), false)
    }
  })

  test('SEC-05: a child created while its parent is revoked is not valid', async () => {
    for (let round = 0; round < 40; round += 1) {
      const [root, parent] = await insertChain(2)
      assert.ok(root && parent)
      const children = Array.from({ length: 6 }, () => childOf(parent))
      const revoke = () => tokens.revoke((round % 2 === 0 ? root : parent).id, makeEvent())
      // The revocation starts before, among and after the children in turn.
      const work: (() => Promise<unknown>)[] = children.map(
        (child) => () => tokens.insert(child, {}, makeEvent()),
      )
      work.splice(round % (children.length + 1), 0, revoke)
      await Promise.all(work.map((start) => start()))
      assert.deepEqual(
        await areThere([parent, ...children]),
        [parent, ...children].map(() => false),
      )
    }
  })

  test('SEC-02: a token created while its user is deleted is not valid', async () => {
    for (let round = 0; round < 10; round += 1) {
      const brief = await identities.addUser({ name: `brief ${round}` })
      const made = Array.from({ length: 6 }, () => make({ userId: brief }))
      const remove = () =>
        identities.change(database.db.deleteFrom('users').where('id', '=', brief).compile())
      const work: (() => Promise<unknown>)[] = made.map(
        (token) => () => tokens.insert(token, {}, makeEvent()),
      )
      work.splice(round % (made.length + 1), 0, remove)
      await Promise.all(work.map((start) => start()))
      assert.deepEqual(
        await areThere(made),
        made.map(() => false),
      )
    }
  })

  test('revokes a chain of the maximum length', async () => {
    const [root, ...descendants] = await insertChain(longestChain + 1)
    assert.ok(root)
    assert.equal(await isThere(descendants.at(-1) ?? root), true)
    await tokens.revoke(root.id, makeEvent())
    const left = await database.db
      .selectFrom('tokens')
      .where('generation', '>', 10)
      .select('id')
      .execute()
    assert.deepEqual(left, [])
    assert.deepEqual(await areThere([root, ...descendants.slice(0, 10)]), Array(11).fill(false))
  })

  test('purges only expired tokens', async () => {
    const now = 1_000
    const expired = [await insert(make({ expiresAt: now })), await insert(make({ expiresAt: 1 }))]
    const root = await insert(make({ expiresAt: now + 1 }))
    const live = [root, await insert(childOf(root, { expiresAt: now + 1 }))]
    const shortLived = await insert(childOf(root, { expiresAt: now }))
    await tokens.purgeExpired(now)
    assert.deepEqual(await areThere([...expired, shortLived]), [false, false, false])
    assert.deepEqual(await areThere(live), [true, true])
  })

  test('purges any number of tokens, including chains', async () => {
    const now = 1_000
    // Parents and children come by turns, as they are issued.
    const rows = Array.from({ length: 1_300 }, () => {
      const root = make()
      return [root, childOf(root)]
    })
      .flat()
      .map(({ id, parentId, generation }) => ({
        id,
        user_id: userId,
        method: 'password',
        parent_id: parentId,
        generation,
        issued_at: 0,
        expires_at: 1,
        ip: '',
        source: 'api',
      }))
    await database.commit([database.db.insertInto('tokens').values(rows).compile()])
    await tokens.purgeExpired(now)
    const left = await database.db
      .selectFrom('tokens')
      .where('expires_at', '<=', now)
      .select('id')
      .execute()
    assert.equal(left.length, 0)
  })
})
