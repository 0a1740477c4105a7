import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { loginDelays } from '../../domain/identity/login-delay.ts'
import type { LoginGuard, LoginTurn } from '../../domain/identity/ports.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { newId } from '../../domain/new-id.ts'
import { createLoginGuard } from './login-guard.ts'

const second = 1_000
const day = 86_400 * second
const start = Date.UTC(2026, 0, 1)
const knownAddress = '192.0.2.1'
const elsewhere = '203.0.113.9'

onBothEngines('the login guard', (engine) => {
  let storage: TestStorage
  let guard: LoginGuard
  let userKey: string
  before(async () => {
    storage = await openStorage(engine)
    guard = createLoginGuard(storage.database)
  })
  after(() => storage.close())
  beforeEach(() => {
    userKey = newId()
  })

  const verdict = async (now: number, address = elsewhere) =>
    (await guard.begin(userKey, address, now)).verdict

  async function admitted(now: number, address = elsewhere): Promise<string> {
    const turn = await guard.begin(userKey, address, now)
    assert.equal(turn.verdict, 'admitted')
    return turn.verdict === 'admitted' ? turn.bucket : ''
  }

  const settle = (bucket: string, success: boolean, now: number, address = elsewhere) =>
    guard.settle(bucket, userKey, address, success, now)

  async function attempt(success: boolean, now: number, address = elsewhere): Promise<void> {
    await settle(await admitted(now, address), success, now, address)
  }
  const fail = (now: number, address = elsewhere) => attempt(false, now, address)
  const succeed = (now: number, address = elsewhere) => attempt(true, now, address)

  async function failTimes(times: number, now: number, address = elsewhere): Promise<void> {
    for (let time = 0; time < times; time += 1) await fail(now, address)
  }

  /** Begins many at once and tells how many got which verdict. */
  async function beginTogether(many: number, now: number) {
    const turns = await Promise.all(
      Array.from({ length: many }, () => guard.begin(userKey, elsewhere, now)),
    )
    const count = (verdict: LoginTurn['verdict']) =>
      turns.filter((turn) => turn.verdict === verdict).length
    const buckets = turns.flatMap((turn) => (turn.verdict === 'admitted' ? [turn.bucket] : []))
    return { admitted: count('admitted'), busy: count('busy'), refused: count('refused'), buckets }
  }

  test('SEC-22: allows ten concurrent attempts and delays the others', async () => {
    const { buckets, ...counts } = await beginTogether(60, start)
    assert.deepEqual(counts, { admitted: 10, busy: 50, refused: 0 })
    await Promise.all(buckets.map((bucket) => settle(bucket, false, start)))
    const { buckets: none, ...later } = await beginTogether(20, start)
    assert.deepEqual({ ...later, none }, { admitted: 0, busy: 0, refused: 20, none: [] })
  })

  test('SEC-22: allows only as many concurrent attempts as failures are left', async () => {
    await failTimes(7, start)
    const { buckets, ...counts } = await beginTogether(20, start)
    assert.deepEqual(counts, { admitted: 3, busy: 17, refused: 0 })
    await Promise.all(buckets.map((bucket) => settle(bucket, false, start)))
    assert.equal(await verdict(start), 'refused')
  })

  test('allows another attempt as soon as a running one succeeds', async () => {
    const { buckets } = await beginTogether(10, start)
    assert.equal(await verdict(start), 'busy')
    await settle(buckets[0] ?? '', true, start)
    await admitted(start)
  })

  test('SEC-24: delays for a second after ten failures, and doubles up to 15 minutes', async () => {
    let now = start
    await failTimes(9, now)
    for (const delay of [...loginDelays, 900 * second, 900 * second]) {
      await fail(now)
      assert.equal(await verdict(now), 'refused', `at once, for ${delay}`)
      assert.equal(await verdict(now + delay - 1), 'refused', `too early, for ${delay}`)
      now += delay
    }
    await admitted(now)
  })

  test('ignores a delay that began while the clock was 190 days ahead', async () => {
    await failTimes(10, start + 190 * day)
    assert.equal(await verdict(start + 190 * day), 'refused')
    await fail(start)
    assert.equal(await verdict(start), 'refused', 'the delay after the next failure is right')
  })

  test('allows one attempt at a time after the delays have begun', async () => {
    await failTimes(10, start)
    const { buckets, ...counts } = await beginTogether(20, start + second)
    assert.deepEqual(counts, { admitted: 1, busy: 19, refused: 0 })
    await settle(buckets[0] ?? '', false, start + second)
    assert.equal(await verdict(start + second), 'refused')
  })

  test('resets the failures after a success', async () => {
    await failTimes(9, start)
    await succeed(start)
    // From now on this address is known, so the failures that count are its own.
    await failTimes(9, start)
    await admitted(start)
  })

  test('resets the delay after a later success', async () => {
    await failTimes(12, start).catch(() => {})
    await failTimes(10, start + day, knownAddress).catch(() => {})
    const free = start + 2 * day
    await succeed(free, knownAddress)
    await failTimes(9, free)
    await admitted(free)
  })

  test('SEC-24: counts addresses with an earlier success separately, in both directions', async () => {
    await succeed(start, knownAddress)
    await failTimes(10, start)
    assert.equal(await verdict(start), 'refused')
    await failTimes(10, start, knownAddress)
    assert.equal(await verdict(start, knownAddress), 'refused')
    await succeed(start + second, knownAddress)
    // A login from a known address does not clear failures from other addresses.
    await fail(start + second)
    assert.equal(await verdict(start + 2 * second), 'refused')
    await admitted(start + 2 * second, knownAddress)
  })

  test('SEC-24: does not treat an address as known that only another user has used', async () => {
    await succeed(start, knownAddress)
    userKey = newId()
    await failTimes(10, start)
    assert.equal(await verdict(start, knownAddress), 'refused')
  })

  test('counts each user separately', async () => {
    await failTimes(10, start)
    assert.equal(await verdict(start), 'refused')
    userKey = newId()
    await admitted(start)
  })

  test('SEC-22: counts a comparison that never settled as a failure', async () => {
    const { admitted: begun } = await beginTogether(10, start)
    assert.equal(begun, 10)
    const abandoned = start + 30 * second
    assert.equal(await verdict(abandoned), 'busy')
    await fail(abandoned + 1)
    // Ten that never ended and one that failed: the second of the delays.
    assert.equal(await verdict(abandoned + 1 + 2 * second - 1), 'refused')
    await admitted(abandoned + 1 + 2 * second)
  })

  test('SEC-22: does not allow ten more attempts after ten that never settled', async () => {
    await beginTogether(10, start)
    const { admitted: more } = await beginTogether(20, start + 31 * second)
    assert.equal(more, 1)
  })

  test('accepts a comparison that settles after its timeout', async () => {
    const bucket = await admitted(start)
    const late = start + 31 * second
    await settle(await admitted(late), false, late)
    await settle(bucket, false, late)
    // Given up once and ended late: three failures, and nothing under way.
    const { admitted: more } = await beginTogether(20, late)
    assert.equal(more, 7)
  })

  test('deletes idle users after a day, but not while a delay is active', async () => {
    await failTimes(9, start)
    await guard.purgeIdle(start + day)
    await fail(start + day)
    assert.equal(await verdict(start + day), 'refused', 'a day is not over yet')
    await guard.purgeIdle(start + day + 1)
    assert.equal(await verdict(start + day + 1), 'refused', 'the delay still runs')
    await guard.purgeIdle(start + 2 * day + 1)
    await failTimes(9, start + 2 * day + 1)
    await admitted(start + 2 * day + 1)
  })

  test('lists the addresses of a user with a success since a given time', async () => {
    await succeed(start, knownAddress)
    assert.deepEqual(await guard.listAddresses(userKey, start), [knownAddress])
    assert.deepEqual(await guard.listAddresses(userKey, start + 1), [])
    assert.deepEqual(await guard.listAddresses('somebody else', start), [])
  })

  test('deletes an address after 90 days without a success', async () => {
    await succeed(start, knownAddress)
    await guard.purgeIdle(start + 90 * day)
    assert.match(await admitted(start + 90 * day, knownAddress), /^known:/)
    await guard.purgeIdle(start + 90 * day + 1)
    assert.match(await admitted(start + 90 * day + 1, knownAddress), /^account:/)
  })
})

test('SEC-22: two processes on one PostgreSQL allow ten attempts together', async (context) => {
  const storage = await openStorage('postgres')
  context.after(() => storage.close())
  const other = await storage.location.open()
  const guards = [createLoginGuard(storage.database), createLoginGuard(other)]
  const turns = await Promise.all(
    Array.from({ length: 25 }, () =>
      guards.map((guard) => guard.begin('shared', elsewhere, start)),
    ).flat(),
  )
  assert.equal(turns.filter(({ verdict }) => verdict === 'admitted').length, 10)
})
