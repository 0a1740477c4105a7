import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { AttachedAccount } from './account.ts'
import { createAccountScheduler } from './account-scheduler.ts'

const leaseDuration = 15_000
const step = 10

const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing }

/** When this process takes over an account of a process that died, after the end of its lease. */
async function takeOver(leasedUntil: number): Promise<number> {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const attached = {
    account: { id: 'a', enabled: true, isBeingDeleted: false, revision: 1 },
    sync: { runner: 'dead', leased_until: leasedUntil, mapped_revision: 1, next_at: 1 },
  } as unknown as AttachedAccount
  const takenAt: number[] = []
  const scheduler = createAccountScheduler({
    accounts: { all: async () => [attached] } as never,
    leases: {
      acquire: async (_id: string, _runner: string, now: number) => now > leasedUntil,
      release: async () => {},
    } as never,
    runAccount: () => {
      takenAt.push(Date.now())
      return { revision: 1, done: new Promise<void>(nothing), stop: async () => {} } as never
    },
    runner: 'alive',
    leaseDuration,
    clock: Date.now,
    log,
  })
  try {
    scheduler.start()
    while (takenAt.length === 0 && Date.now() < 2 * leaseDuration) {
      await nextImmediate()
      mock.timers.tick(step)
    }
    return (takenAt[0] ?? Infinity) - leasedUntil
  } finally {
    await scheduler.stop()
    mock.timers.reset()
  }
}

test('an account of a process that died is taken over as soon as its lease has expired', async () => {
  for (const leasedUntil of [0, 5, 999, 1_000, 1_001, 2_500, leaseDuration - 1, leaseDuration]) {
    const delay = await takeOver(leasedUntil)
    assert.ok(delay > 0 && delay <= 2 * step, `${leasedUntil}: ${delay}`)
  }
})
