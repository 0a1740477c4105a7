import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { containsMoment, type Gap } from '../../domain/inventory/history/gaps.ts'
import type { SyncRun } from '../../domain/sources/account.ts'
import { background } from '../../domain/inventory/ports.ts'
import { newId } from '../../domain/new-id.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import { makeAccount } from '../../testing/inventory-world/in-memory-sync.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { runsInLane } from '../../testing/lanes.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createAccountStore } from '../sources/account-store.ts'
import { createLeaseStore } from '../sources/lease-store.ts'
import { createGapStore } from './gap-store.ts'
import { purgeChanges } from './purge-changes.ts'

type Secrets = Parameters<typeof createAccountStore>[1]
const secrets = { encrypt: () => 'encrypted' } as unknown as Secrets
const runner = 'this process'
const run: SyncRun = {
  started_at: 1,
  finished_at: 1,
  duration_ms: 0,
  result: 'complete',
  seen: 0,
  created: 0,
  changed: 0,
  gone: 0,
  error: '',
}

onBothEngines('gaps of accounts', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(async () => {
    await storage.close()
  })
  const openGaps = () => createGapStore(storage.database)

  async function attach() {
    const id = newId()
    // Times of accounts are those of their tests, and none is before the last commit.
    const { db, commit } = storage.database
    await commit([db.deleteFrom('change_commits').compile()])
    let clock = 1
    const accounts = createAccountStore(storage.database, secrets, () => clock)
    const leases = createLeaseStore(storage.database, () => clock)
    assert.ok(await accounts.insert(makeAccount({ id, name: id }), {}, makeEvent()))
    assert.ok(await leases.acquire(id, runner, 1, 2))
    return {
      id,
      async remove(now: number) {
        clock = now
        await accounts.remove(id)
      },
      scan: (now: number, freshUntil: number, unread: readonly string[] = [], by = runner) =>
        leases.update(
          id,
          by,
          { finished_at: now, failures: 0 },
          { run, observation: { now, freshUntil, unread } },
        ),
      fail: () => leases.update(id, runner, { failures: 1, error: 'down' }),
      /** The gaps that contain a moment, asked at `now`. */
      at: async (time: number, now: number) =>
        (await openGaps().between({ from: time, until: time, now }, background, [id]))
          .filter((gap) => containsMoment(gap, time))
          .toSorted((a, b) => (a.region < b.region ? -1 : 1))
          .map(({ region, from, until }) => [region, from, until]),
    }
  }
  type Attached = Awaited<ReturnType<typeof attach>>

  /** Each was complete at 100 and should be again by 150. The moments are before, in and after what happens. */
  const states: Record<
    string,
    [(account: Attached) => Promise<unknown>, Record<number, (string | number | null)[][]>]
  > = {
    'in time': [({ scan }) => scan(150, 900), { 50: [['', null, 100]], 120: [], 160: [] }],
    'too late': [
      ({ scan }) => scan(300, 900),
      { 120: [['', 100, 300]], 300: [], 301: [], 100: [] },
    ],
    'not again': [async () => {}, { 100: [], 120: [['', 100, null]], 400: [['', 100, null]] }],
    failing: [({ fail }) => fail(), { 100: [], 120: [['', 100, null]] }],
    'complete in another process that has lost the account': [
      ({ scan }) => scan(300, 900, [], 'another process'),
      { 120: [['', 100, null]], 400: [['', 100, null]] },
    ],
    'without a region, until later': [
      async ({ scan }) => {
        await scan(140, 190, ['west'])
        await scan(180, 230, ['west', 'east'])
        await scan(220, 900, ['east'])
      },
      {
        90: [['', null, 100]],
        120: [['west', 100, 220]],
        200: [
          ['east', 140, null],
          ['west', 100, 220],
        ],
        300: [['east', 140, null]],
      },
    ],
    'without a region, for a moment': [
      async ({ scan }) => {
        await scan(120, 190, ['west'])
        await scan(145, 900)
      },
      { 110: [], 130: [], 200: [] },
    ],
    deleted: [({ remove }) => remove(500), { 120: [['', 100, 500]], 600: [] }],
    'deleted while it was observed': [({ remove }) => remove(130), { 120: [], 400: [] }],
  }

  for (const [name, [happen, moments]] of Object.entries(states)) {
    test(`of one that was ${name}`, async () => {
      const account = await attach()
      await account.scan(100, 150)
      await happen(account)
      for (const [time, expected] of Object.entries(moments)) {
        // Asked at 800, when those that were complete should not be complete again yet.
        const found = await account.at(Number(time), 800)
        assert.deepEqual(found, expected, `at ${time}`)
      }
    })
  }

  test('of one that was never complete', async () => {
    const account = await attach()
    assert.deepEqual(await account.at(50, 60), [['', null, null]])
    await account.scan(100, 150)
    assert.deepEqual(await account.at(50, 120), [['', null, 100]])
    const between = { from: 10, until: 99, now: 900 }
    const found = await openGaps().between(between, background, [account.id])
    assert.equal(found.length, 1, 'without the one that begins later')
    assert.deepEqual(await account.at(110, 120), [])
  })

  test('are those of a model, whatever scans could read and whenever they came', async () => {
    const draw = createNumbers(11)
    for (let run = 0; run < runsInLane(8); run += 1) {
      const account = await attach()
      // What each scan has observed: until a region is read again, it is as it was when it was last read.
      const scans: { now: number; freshUntil: number; unread: string[] }[] = []
      let now = 1_000
      for (let step = 0; step < 8; step += 1) {
        now += 10 + draw(100)
        const unread = ['east', 'west'].filter(() => draw(3) === 0)
        const scan = { now, freshUntil: now + 20 + draw(60), unread }
        scans.push(scan)
        await account.scan(now, scan.freshUntil, unread)
      }
      const end = now + 200
      for (const region of ['', 'east', 'west']) {
        const readings = scans.filter(({ unread }) => !unread.includes(region))
        const isGap = (time: number) => {
          const last = readings.findLast((reading) => reading.now <= time)
          const next = readings.find((reading) => reading.now > time)
          if (readings.some((reading) => reading.now === time)) return false
          return !last || last.freshUntil < (next?.now ?? end)
        }
        for (let time = 1_001; time < end; time += 1 + draw(9)) {
          const found = await openGaps().between(
            { from: time, until: time, now: end },
            background,
            [account.id],
          )
          // A gap of the account is one of each region.
          const here = found.filter(
            (gap) => (gap.region === '' || gap.region === region) && containsMoment(gap, time),
          )
          assert.equal(here.length > 0, isGap(time), `${region} at ${time} of run ${run}`)
        }
      }
    }
  })

  test('are listed page by page, the newest first, and go with the history', async () => {
    const account = await attach()
    for (const time of [100, 300, 500, 700]) await account.scan(time, time + 50, ['west'])
    await account.scan(900, 950)
    const all: Gap[] = []
    let last: Gap | undefined
    do {
      const page = await openGaps().of(account.id, {
        ...(last && { after: last }),
        limit: 2,
        now: 5_000,
      })
      all.push(...page)
      last = page.length === 2 ? page.at(-1) : undefined
    } while (last)
    assert.deepEqual(
      all.map(({ region, from, until }) => [from, until, region]),
      [
        [900, null, ''],
        [700, 900, ''],
        [null, 900, 'west'],
        [500, 700, ''],
        [300, 500, ''],
        [100, 300, ''],
        [null, 100, ''],
      ],
    )
    await purgeChanges(storage.database, 600, 600)
    const left = await openGaps().of(account.id, { limit: 20, now: 5_000 })
    assert.deepEqual(
      left.map(({ until }) => until),
      [null, 900, 900, 700],
    )
  })

  test('end after the changes that the scan found, also if those have the time of another clock', async () => {
    const account = await attach()
    await account.scan(10_000, 11_000)
    const { db, commit } = storage.database
    const change = { revision: 9_000_000, position: 9_000_000, time: 33_000 }
    await commit([db.insertInto('change_commits').values(change).compile()])
    await account.scan(30_000, 31_000)
    assert.deepEqual(await account.at(20_000, 32_000), [['', 10_000, 33_000]])
    // A clock that was far ahead does not count.
    await commit([db.updateTable('change_commits').set({ time: 90_000_000 }).compile()])
    await account.scan(60_000, 61_000)
    assert.deepEqual(await account.at(40_000, 62_000), [['', 33_000, 70_000]])
  })
})
