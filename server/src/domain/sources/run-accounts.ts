import { setTimeout as pause } from 'node:timers/promises'
import type { AttachedAccount } from './account.ts'
import type { AccountStore, RunStore } from './ports.ts'
import type { RunAccount, RunningAccount } from './run-account.ts'
import type { SyncLog } from './sync-log.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly runs: RunStore
  readonly runAccount: RunAccount
  /** Who this is, among all that share the storage. */
  readonly runner: string
  readonly clock: () => number
  readonly log: SyncLog
}

const step = 1_000
/** Whoever has not renewed it by then has died, and somebody else takes over. */
const lease = 15_000
const renewal = 5_000
const moment = 1_000
const longestStop = 4_000

/** One that is disabled is still looked after for as long as its servers are not where they belong. */
export const isWanted = ({ account, sync }: AttachedAccount) =>
  account.enabled || account.leaving || sync.mapped_revision !== account.revision

/** Runs every account that nobody else runs, each at most once among all processes. */
export function createRunAccounts(dependencies: Dependencies) {
  const { accounts, runs, runAccount, runner, clock, log } = dependencies
  const running = new Map<string, RunningAccount>()
  const renewedAt = new Map<string, number>()
  const endings = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let underWay: Promise<void> = Promise.resolve()

  const claim = (id: string) => runs.claim(id, runner, clock(), clock() + lease)

  /** Its source may be frozen, and then it takes its time: the fence keeps it from writing any more. */
  async function stopSoon(id: string, ended: RunningAccount | undefined): Promise<void> {
    await Promise.race([ended?.stop(), pause(longestStop, undefined, { ref: false })])
    await runs.release(id, runner)
  }

  /** Nobody else's account waits for it longer than a moment. */
  async function end(id: string): Promise<void> {
    const ended = running.get(id)
    running.delete(id)
    renewedAt.delete(id)
    const ending = stopSoon(id, ended).finally(() => endings.delete(id))
    endings.set(id, ending)
    await Promise.race([ending, pause(moment, undefined, { ref: false })])
  }

  async function begin(attached: AttachedAccount): Promise<void> {
    const { id } = attached.account
    const { runner: holder, leased_until } = attached.sync
    if (holder !== runner && leased_until > clock()) return
    if (!(await claim(id))) return
    const begun = runAccount(attached, runner)
    running.set(id, begun)
    renewedAt.set(id, clock())
    // An account that gave up by itself is begun anew with the next step.
    void begun.done.finally(() => {
      if (running.get(id) === begun) running.delete(id)
    })
  }

  async function keep(
    id: string,
    account: RunningAccount,
    attached: AttachedAccount,
    readAt: number,
  ) {
    if (!isWanted(attached) || attached.account.revision !== account.revision) return await end(id)
    // Nought is how others ask for it at once.
    if (attached.sync.next_at === 0) account.expect(0, readAt)
    if (clock() - (renewedAt.get(id) ?? 0) < renewal) return
    if (await claim(id)) renewedAt.set(id, clock())
    else await end(id)
  }

  async function lookAfter(attached: AttachedAccount, readAt: number): Promise<void> {
    const { id } = attached.account
    const account = running.get(id)
    if (account) await keep(id, account, attached, readAt)
    const isFree = !running.has(id) && !endings.has(id)
    if (isFree && isWanted(attached) && !isStopped) await begin(attached)
  }

  async function lookAround(): Promise<void> {
    const readAt = clock()
    const all = await accounts.all()
    const ids = new Set(all.map(({ account }) => account.id))
    await Promise.all([
      ...[...running.keys()].filter((id) => !ids.has(id)).map(end),
      ...all.map((attached) => lookAfter(attached, readAt)),
    ])
  }

  /** One step after the other; what fails is tried again with the next. */
  function tick(): Promise<void> {
    underWay = underWay.then(lookAround).catch((error: unknown) => {
      log.warn(
        { err: error },
        'the accounts could not be looked after; the next try is in a second',
      )
    })
    return underWay
  }

  return {
    find: (id: string) => running.get(id),
    /** Looks at once instead of at the next step. */
    tick,
    start(): void {
      const next = async () => {
        await tick()
        if (!isStopped) timer = setTimeout(next, step)
      }
      void next()
    },
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await underWay
      await Promise.all([...running.keys()].map(end))
      await Promise.all(endings.values())
    },
  }
}
