import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Inventory } from './compose-inventory.ts'

const hour = 3_600_000
/** Pauses after an error of the background rewrite. */
const [firstRetry, longestRetry] = [1_000, 60_000]

/** Rewrites the servers of an earlier version in the background. */
function rewriteServers({ roles }: Config, inventory: Inventory, logger: FastifyBaseLogger) {
  const stop = new AbortController()
  const report = (servers: number) => logger.info({ servers }, 'stored servers upgraded')
  const onProgress = (rewritten: number) => {
    if (rewritten % 10_000 === 0) report(rewritten)
  }
  async function rewrite(): Promise<void> {
    const { signal } = stop
    for (let wait = firstRetry; !signal.aborted; wait = Math.min(2 * wait, longestRetry)) {
      try {
        const rewritten = await inventory.rewriteServers(signal, onProgress)
        if (rewritten > 0) report(rewritten)
        return
      } catch (error) {
        logger.warn({ err: error }, 'could not upgrade stored servers; trying again')
        await pause(wait, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
  const done = roles.includes('platform') ? rewrite() : Promise.resolve()
  return {
    async stop(): Promise<void> {
      stop.abort()
      await done
    },
  }
}

/** Purges expired data, counts servers, and upgrades servers of an earlier version, in the background. */
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
    purge().catch((error: unknown) => {
      logger.warn({ err: error }, 'could not purge expired data; retrying in an hour')
    })
    void countServers()
  }, hour)
  const rewrite = rewriteServers(config, inventory, logger)

  return {
    countServers,
    async stop(): Promise<void> {
      clearInterval(timer)
      await rewrite.stop()
    },
  }
}
