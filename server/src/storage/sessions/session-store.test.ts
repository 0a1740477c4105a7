import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionRecord, SessionStore } from '@muster/gateway'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createSessionStore } from './session-store.ts'

const day = 86_400_000
const start = Date.UTC(2026, 5, 1)

onBothEngines('the session store', (engine) => {
  let storage: TestStorage
  let store: SessionStore
  before(async () => {
    storage = await openStorage(engine)
    store = createSessionStore(storage.database)
  })
  after(() => storage.close())

  const session = (id: string, changes: Partial<SessionRecord> = {}): SessionRecord => ({
    id,
    userId: 'ada',
    sealed: 'sealed',
    scope: 'genome',
    ip: '192.0.2.7',
    userAgent: 'a browser',
    createdAt: start,
    seenAt: start,
    expiresAt: start + day,
    ...changes,
  })
  const idsOf = async (userId: string, seen = 0, now = start) =>
    (await store.listOf(userId, { seen, now })).map(({ id }) => id)

  test('stores sessions', async () => {
    await store.insert(session('kept'))
    const limits = { idle: Infinity, lifetime: Infinity }
    assert.deepEqual(await store.find('kept'), { ...session('kept'), limits })
    assert.equal(await store.find('never'), undefined)
    await store.touch('kept', start + 5)
    assert.deepEqual(await store.find('kept'), {
      ...session('kept', { seenAt: start + 5 }),
      limits,
    })
  })

  test('replaces a session, or changes nothing', async () => {
    await store.insert(session('old', { userId: 'eve' }))
    assert.equal(await store.replace('old', session('new', { userId: 'eve' })), true)
    assert.equal(await store.find('old'), undefined)
    assert.equal(await store.replace('old', session('late', { userId: 'eve' })), false)
    assert.deepEqual(await idsOf('eve'), ['new'])
  })

  test('lets only one of two concurrent replacements succeed', async () => {
    await store.insert(session('contested', { userId: 'kim' }))
    const outcomes = await Promise.all(
      ['first', 'second'].map((id) => store.replace('contested', session(id, { userId: 'kim' }))),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.equal((await idsOf('kim')).length, 1)
  })

  test('removes only sessions of the user', async () => {
    await store.insert(session('mine', { userId: 'joe' }))
    assert.equal(await store.remove('mine', 'ada'), false)
    assert.equal(await store.remove('mine', 'joe'), true)
    assert.equal(await store.remove('mine', 'joe'), false)
  })

  test('lists and keeps sessions that have not expired, latest first', async () => {
    const userId = 'lee'
    await store.insert(session('early', { userId, seenAt: start + 1 }))
    await store.insert(session('late', { userId, seenAt: start + 3 }))
    await store.insert(session('ended', { userId, seenAt: start + 2, expiresAt: start + 10 }))
    assert.deepEqual(await idsOf(userId), ['late', 'ended', 'early'])
    assert.deepEqual(await idsOf(userId, 0, start + 10), ['late', 'early'])
    assert.deepEqual(await idsOf(userId, start + 1, start + 10), ['late'])
    await store.purge({ seen: start + 1, now: start + 10 })
    assert.deepEqual(await idsOf(userId), ['late'])
  })
})
