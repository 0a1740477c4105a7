import { setTimeout as pause } from 'node:timers/promises'
import type { AttachedAccount } from './account.ts'
import type { AccountStore, LeaseStore } from './ports.ts'
import type { RunAccount, RunningAccount } from './run-account.ts'
import type { SyncLog } from './sync-log.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly leases: LeaseStore
  readonly runAccount: RunAccount
  /** Identifies this process among all processes that share the storage. */
  readonly runner: string
  /** In milliseconds. */
  readonly leaseDuration: number
  /** False while this process cannot read the credentials of accounts. Others take them over. */
  readonly canRun: () => boolean
  readonly clock: () => number
  readonly log: SyncLog
}

const interval = 1_000
/** How long other accounts wait for one that is stopping. */
const shortStop = 1_000
const longestStop = 4_000

/** A disabled account still runs while its servers are moved by a changed mapping, or removed. */
export const isWanted = ({ account, sync }: AttachedAccount) =>
  account.enabled || account.isBeingDeleted || sync.mapped_revision !== account.revision

/** Runs every account whose lease is free. Each account is run by at most one process. */
export function createAccountScheduler(dependencies: Dependencies) {
  const { accounts, leases, runAccount, runner, leaseDuration, canRun, clock, log } = dependencies
  const renewalInterval = leaseDuration / 3
  const running = new Map<string, RunningAccount>()
  const renewedAt = new Map<string, number>()
  const stopping = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let lastTick: Promise<void> = Promise.resolve()
  let isFailing = false
  /** When the first lease of another process expires, so that its tasks do not wait for the interval. */
  let nextExpiry = Infinity

  const acquireLease = (id: string) => leases.acquire(id, runner, clock(), clock() + leaseDuration)

  /** A hanging source may take longer to stop. The fence of the lease keeps it from writing. */
  async function stopAndRelease(id: string, account: RunningAccount | undefined): Promise<void> {
    await Promise.race([account?.stop(), pause(longestStop, undefined, { ref: false })])
    await leases.release(id, runner)
  }

  async function stopRunning(id: string): Promise<void> {
    const account = running.get(id)
    running.delete(id)
    renewedAt.delete(id)
    const stop = stopAndRelease(id, account).finally(() => stopping.delete(id))
    stopping.set(id, stop)
    await Promise.race([stop, pause(shortStop, undefined, { ref: false })])
  }

  async function startRunning(attached: AttachedAccount): Promise<void> {
    const { id } = attached.account
    const { runner: holder, leased_until } = attached.sync
    if (holder !== runner && leased_until >= clock()) {
      nextExpiry = Math.min(nextExpiry, leased_until)
      return
    }
    if (!(await acquireLease(id))) return
    const account = runAccount(attached, runner)
    running.set(id, account)
    renewedAt.set(id, clock())
    // An account that stopped by itself is started again by the next tick.
    void account.done.finally(() => {
      if (running.get(id) === account) running.delete(id)
    })
  }

  async function renew(account: RunningAccount, attached: AttachedAccount, readAt: number) {
    const { id, revision } = attached.account
    if (!isWanted(attached) || revision !== account.revision) return await stopRunning(id)
    // Other processes request a sync by setting it to 0.
    if (attached.sync.next_at === 0) account.requestScan(0, readAt)
    if (clock() - (renewedAt.get(id) ?? 0) < renewalInterval) return
    if (await acquireLease(id)) renewedAt.set(id, clock())
    else await stopRunning(id)
  }

  async function schedule(attached: AttachedAccount, readAt: number): Promise<void> {
    const { id } = attached.account
    const account = running.get(id)
    if (account) await renew(account, attached, readAt)
    const isFree = !running.has(id) && !stopping.has(id)
    if (isFree && isWanted(attached) && !isStopped) await startRunning(attached)
  }

  async function scheduleAll(): Promise<void> {
    nextExpiry = Infinity
    if (!canRun()) {
      await Promise.all([...running.keys()].map(stopRunning))
      return
    }
    const readAt = clock()
    const all = await accounts.all()
    const ids = new Set(all.map(({ account }) => account.id))
    await Promise.all([
      ...[...running.keys()].filter((id) => !ids.has(id)).map(stopRunning),
      ...all.map((attached) => schedule(attached, readAt)),
    ])
  }

  function noteScheduled(): void {
    if (isFailing) log.info({}, 'scheduling the accounts works again')
    isFailing = false
  }

  function noteNotScheduled(error: unknown): void {
    if (!isFailing)
      log.warn({ err: error }, 'scheduling the accounts fails; it is tried every second')
    isFailing = true
  }

  /** Ticks run one after another. After an error the next tick tries again. */
  function tick(): Promise<void> {
    lastTick = lastTick.then(scheduleAll).then(noteScheduled, noteNotScheduled)
    return lastTick
  }

  return {
    find: (id: string) => running.get(id),
    /** How many accounts this process runs. */
    running: () => running.size,
    /** Schedules now instead of at the next interval. */
    tick,
    start(): void {
      const next = async () => {
        await tick()
        const untilExpiry = Math.max(0, nextExpiry + 1 - clock())
        if (!isStopped) timer = setTimeout(next, Math.min(interval, untilExpiry))
      }
      void next()
    },
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await lastTick
      await Promise.all([...running.keys()].map(stopRunning))
      await Promise.all(stopping.values())
    },
  }
}
export type AccountScheduler = ReturnType<typeof createAccountScheduler>
