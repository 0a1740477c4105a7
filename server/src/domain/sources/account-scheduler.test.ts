import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { AttachedAccount } from './account.ts'
import { createAccountScheduler } from './account-scheduler.ts'
import type { AccountStore, LeaseStore } from './ports.ts'
import type { RunningAccount } from './run-account.ts'

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
    canRun: () => true,
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

test('accounts are run by a process that can read their credentials, and at once when it can again', async () => {
  const ids = ['one', 'two']
  const holders = new Map<string, string>()
  const accounts = {
    all: async () =>
      ids.map((id) => ({
        account: { id, enabled: true, revision: 1 },
        sync: {
          mapped_revision: 1,
          next_at: 1,
          runner: holders.get(id) ?? '',
          leased_until: holders.has(id) ? 1_000 : 0,
        },
      })) as unknown as AttachedAccount[],
  } as Partial<AccountStore> as AccountStore
  const leases = {
    async acquire(id, runner) {
      const holder = holders.get(id) ?? runner
      holders.set(id, holder)
      return holder === runner
    },
    async release(id, runner) {
      if (holders.get(id) === runner) holders.delete(id)
    },
  } as Partial<LeaseStore> as LeaseStore
  const lacking = new Set<string>()
  const processes = ['first', 'second'].map((runner) => ({
    runner,
    scheduler: createAccountScheduler({
      accounts,
      leases,
      runAccount: () => {
        const done = Promise.withResolvers<void>()
        const stop = async () => done.resolve()
        return {
          revision: 1,
          done: done.promise,
          stop,
        } as Partial<RunningAccount> as RunningAccount
      },
      runner,
      leaseDuration: 300,
      canRun: () => !lacking.has(runner),
      clock: () => 1,
      log,
    }),
  }))
  for (const missing of [[], ['first'], ['first', 'second'], ['first'], ['second'], []]) {
    lacking.clear()
    for (const runner of missing) lacking.add(runner)
    for (const { scheduler } of processes) await scheduler.tick()
    for (const { scheduler } of processes) await scheduler.tick()
    const able = processes.filter(({ runner }) => !lacking.has(runner))
    const count = (some: typeof processes) =>
      some.reduce((sum, { scheduler }) => sum + scheduler.running(), 0)
    assert.equal(count(processes), count(able), missing.join())
    assert.equal(count(able), able.length > 0 ? ids.length : 0, missing.join())
    assert.ok([...holders.values()].every((runner) => !lacking.has(runner)))
  }
  for (const { scheduler } of processes) await scheduler.stop()
  assert.equal(holders.size, 0)
})
