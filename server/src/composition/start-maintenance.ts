import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Inventory } from './compose-inventory.ts'

const hour = 3_600_000
/** Pauses after an error of the background rewrite. */
const [firstRetry, longestRetry] = [1_000, 60_000]

/** Milliseconds between batches, so that requests and syncs are served meanwhile. */
const pauseBetween = 20

/** Rewrites the servers of an earlier version in the background, and makes its events of servers changes. */
function upgradeStored({ roles }: Config, inventory: Inventory, logger: FastifyBaseLogger) {
  const stop = new AbortController()
  const report = (servers: number) => logger.info({ servers }, 'stored servers upgraded')
  const onProgress = (rewritten: number) => {
    if (rewritten % 10_000 === 0) report(rewritten)
  }
  /** Events that a sink has yet to deliver are left for later. */
  async function moveEvents(): Promise<void> {
    let batches = 0
    while (!stop.signal.aborted && (await inventory.moveEvents(Date.now()))) {
      batches += 1
      await pause(pauseBetween)
    }
    if (batches > 0) logger.info({ batches }, 'events of servers became changes')
  }
  async function rewrite(): Promise<void> {
    const { signal } = stop
    for (let wait = firstRetry; !signal.aborted; wait = Math.min(2 * wait, longestRetry)) {
      try {
        const rewritten = await inventory.rewriteServers(signal, onProgress)
        if (rewritten > 0) report(rewritten)
        await moveEvents()
        return
      } catch (error) {
        logger.warn({ err: error }, 'could not upgrade stored data; trying again')
        await pause(wait, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
  const done = roles.includes('platform') ? rewrite() : Promise.resolve()
  return {
    moveEvents,
    async stop(): Promise<void> {
      stop.abort()
      await done
    },
  }
}

/** Purges expired data, counts servers, and upgrades data of an earlier version, in the background. */
export function startMaintenance(
  config: Config,
  inventory: Inventory,
  logger: FastifyBaseLogger,
  purge: () => Promise<void>,
) {
  /** Stores the server count of today. The last count before midnight remains. */
  async function countServers(): Promise<void> {
    if (!config.roles.includes('platform')) return
    await inventory.countToday().catch((error: unknown) => {
      logger.warn({ err: error }, 'could not store the daily server count')
    })
  }

  const timer = setInterval(() => {
    Promise.all([purge(), upgrade.moveEvents()]).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not purge expired data; retrying in an hour')
    })
    void countServers()
  }, hour)
  const upgrade = upgradeStored(config, inventory, logger)

  return {
    countServers,
    async stop(): Promise<void> {
      clearInterval(timer)
      await upgrade.stop()
    },
  }
}
