import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { readConfig } from '../../config/read-config.ts'
import { createEventStore } from '../../storage/event-store.ts'
import type { Insertable } from 'kysely'
import type { Tables } from '../../storage/tables.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const hour = 3_600_000
const day = 24 * hour
const now = Date.UTC(2026, 5, 1, 12)

onEngineOfLane('retention of the audit log', (engine) => {
  let platform: TestPlatform
  before(async () => {
    // The test triggers the hourly job.
    mock.timers.enable({ apis: ['setInterval'] })
    platform = await startPlatform({
      engine,
      clock: () => now,
      flags: ['--event-retention=30d'],
    })
  })
  after(async () => {
    await platform.close()
    mock.timers.reset()
  })

  const times = async () => {
    const rows = platform.database.db.selectFrom('events').select('time').orderBy('id')
    return (await rows.execute()).map(({ time }) => now - time)
  }

  test('is 180 days by default', () => {
    const request = readConfig([], {})
    assert.equal(request.kind === 'run' && request.config.eventRetention, 180 * day)
  })

  test('purges any number of events', async () => {
    const { db, commit } = platform.database
    const makeRow = (): Insertable<Tables['events']> => {
      const {
        user,
        changes: _,
        record: __,
        not_observed_since: ___,
        ...event
      } = makeEvent({ time: now - 40 * day })
      return { ...event, user_name: user, changes: '{}' }
    }
    // More than one commit deletes, and not a multiple of that.
    for (let part = 0; part < 3; part += 1) {
      const rows = Array.from({ length: 700 }, makeRow)
      await commit([db.insertInto('events').values(rows).compile()])
    }
    assert.equal((await times()).length, 2_100)
    await createEventStore(platform.database).purge(now - 30 * day, now)
    assert.deepEqual(await times(), [])
  })

  test('is configurable, and older events are purged every hour', async () => {
    const { record } = createEventStore(platform.database)
    const ages = [31 * day, 30 * day + 1, 30 * day, 30 * day - 1, day, 0]
    for (const age of ages) await record(makeEvent({ time: now - age }))
    assert.deepEqual(await times(), ages)
    mock.timers.tick(hour)
    const remaining = await eventually('old events are purged', async () => {
      const left = await times()
      return left.length < ages.length && left
    })
    assert.deepEqual(remaining, [30 * day, 30 * day - 1, day, 0])
  })
})
