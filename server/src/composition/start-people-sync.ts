import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'

const minute = 60_000

/** Syncs the people of identity providers in the background. */
export function startPeopleSync(
  { roles }: Config,
  syncPeople: () => Promise<readonly string[]>,
  logger: FastifyBaseLogger,
) {
  let running: Promise<void> | undefined

  async function sync(): Promise<void> {
    try {
      for (const problem of await syncPeople()) {
        logger.warn(`could not sync the people of the identity provider ${problem}`)
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not sync the people of identity providers')
    }
  }
  const start = () => {
    running ??= sync().finally(() => (running = undefined))
  }
  const timer = roles.includes('platform') ? setInterval(start, minute) : undefined

  return {
    async stop(): Promise<void> {
      clearInterval(timer)
      await running
    },
  }
}
