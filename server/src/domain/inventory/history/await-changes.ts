import { PlatformError } from '../../error.ts'
import type { Requester } from '../../requester.ts'
import { covers, type ScopeOrNone } from '../../scope.ts'
import { background } from '../ports.ts'
import { endOf } from './feed-position.ts'
import type { ChangeRecord, ChangeStore } from './ports.ts'

interface Waiter {
  readonly scope: ScopeOrNone
  readonly user: string
  /** The last commit that it knows. */
  readonly commit: number
  readonly wake: (isChanged: boolean) => void
}

interface Limits {
  readonly mostWaiting: number
  readonly mostOfUser: number
  /** Milliseconds between two looks into the database, however many requests wait. */
  readonly interval: number
}

const limitsByDefault: Limits = { mostWaiting: 500, mostOfUser: 10, interval: 1_000 }
/** With more changes at once, all requests look for themselves. */
const mostRead = 500

const touches = (scope: ScopeOrNone, { owner, formerOwner }: ChangeRecord) =>
  covers(scope, owner) || covers(scope, formerOwner)

/** Lets requests wait until something changes in their scope. All of them share one look into the database. */
export function createAwaitChanges(
  changes: Pick<ChangeStore, 'listAfter'>,
  { mostWaiting, mostOfUser, interval }: Limits = limitsByDefault,
) {
  const waiters = new Set<Waiter>()
  let known = 0
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function requireRoom(user: string): void {
    const ofUser = [...waiters].filter((waiter) => waiter.user === user).length
    if (ofUser < mostOfUser && waiters.size < mostWaiting) return
    throw new PlatformError(
      'TooManyRequests',
      ofUser < mostOfUser
        ? 'Too many requests wait for changes. Try again shortly.'
        : `${mostOfUser} of your requests wait for changes. End one of them, or use fewer consumers.`,
      { retryAfter: 5 },
    )
  }

  async function look(): Promise<void> {
    const start = known
    const records = await changes.listAfter(endOf(start), mostRead, background)
    // Meanwhile all requests ended, and another one came that knows less.
    if (known !== start) return
    known = records.at(-1)?.position.commit ?? known
    const isLong = records.length === mostRead
    for (const waiter of waiters) {
      const isChanged = records.some(
        (record) => record.position.commit > waiter.commit && touches(waiter.scope, record),
      )
      if (isChanged || isLong) waiter.wake(true)
    }
  }

  function schedule(): void {
    if (waiters.size === 0 || timer) return
    timer = setTimeout(() => {
      // If the database does not answer, the next look tries again.
      void look()
        .catch(() => {})
        .finally(() => {
          timer = undefined
          schedule()
        })
    }, interval)
  }

  return {
    /**
     * Waits until there is a change in a scope after a commit. Returns false if there is none within the time,
     * or if the process stops.
     */
    async wait(
      { scope, commit }: Pick<Waiter, 'scope' | 'commit'>,
      milliseconds: number,
      { user, signal }: Requester,
    ): Promise<boolean> {
      if (isStopped || signal?.aborted === true) return false
      requireRoom(user)
      // Changes up to the commit that the others know are told to nobody again.
      if (waiters.size > 0 && commit < known) return true
      if (waiters.size === 0) known = commit
      return await new Promise((resolve) => {
        const waiter = {
          scope,
          user,
          commit,
          wake(isChanged: boolean) {
            waiters.delete(waiter)
            clearTimeout(timeout)
            signal?.removeEventListener('abort', leave)
            resolve(isChanged)
          },
        }
        const leave = () => waiter.wake(false)
        const timeout = setTimeout(leave, milliseconds)
        signal?.addEventListener('abort', leave, { once: true })
        waiters.add(waiter)
        schedule()
      })
    },

    /** Answers all waiting requests, and lets no others wait. */
    stop(): void {
      isStopped = true
      clearTimeout(timer)
      for (const waiter of waiters) waiter.wake(false)
    },
  }
}
export type AwaitChanges = ReturnType<typeof createAwaitChanges>
