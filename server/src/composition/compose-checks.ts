import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import type { Database } from '../storage/database.ts'
import type { Inventory } from './compose-inventory.ts'
import { loadOnce } from './load-once.ts'

interface Parts extends Pick<Inventory, 'finder' | 'serverWriter' | 'owners'> {
  readonly database: Database
  readonly accounts: AccountStore
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly historyRetention: number
  readonly clock: Clock
  readonly logger: FastifyBaseLogger
}

export const defaultCheckInterval = 60_000

/** Checks are looked at rarely and evaluated once a minute, so their code is loaded when it is first needed. */
export function composeChecks({ database, historyRetention, clock, logger, ...parts }: Parts) {
  const loadStore = loadOnce(async () => {
    const { createEvaluationStore } = await import('../storage/checks/evaluation-store.ts')
    return createEvaluationStore(database, clock)
  })
  const loadEvaluation = loadOnce(async () => {
    const [{ createEvaluateChecks }, store] = await Promise.all([
      import('../domain/checks/evaluate-checks.ts'),
      loadStore(),
    ])
    return createEvaluateChecks({
      ...parts,
      store,
      clock,
      onError: ({ id, name }, error) =>
        logger.warn({ err: error, check_id: id, check: name }, 'could not evaluate a check'),
    })
  })

  async function evaluateChecks(signal?: AbortSignal): Promise<void> {
    await (
      await loadEvaluation()
    )(signal)
  }

  return {
    loadChecks: loadOnce(async () => {
      const [{ createCheckUseCases }, { createCheckStore }] = await Promise.all([
        import('../domain/checks/administer-checks.ts'),
        import('../storage/checks/check-store.ts'),
      ])
      const { reauthorizeCaller } = parts
      return createCheckUseCases({ checks: createCheckStore(database), reauthorizeCaller, clock })
    }),

    evaluateChecks,

    purgeViolations: async () => (await loadStore()).purge(clock() - historyRetention),

    /** Evaluates the checks again and again. Of several processes, one does so at a time. */
    startEvaluation({ roles }: Pick<Config, 'roles'>, interval: number) {
      const stop = new AbortController()
      const { signal } = stop
      async function run(): Promise<void> {
        while (!signal.aborted) {
          await pause(interval, undefined, { signal, ref: false }).catch(() => {})
          if (signal.aborted) return
          try {
            const now = clock()
            const isClaimed = await (await loadStore()).claim(now, now - interval * 0.9)
            if (isClaimed) await evaluateChecks(signal)
          } catch (error) {
            if (signal.aborted) return
            logger.warn({ err: error }, 'could not evaluate the checks; trying again')
          }
        }
      }
      const done = roles.includes('platform') ? run() : Promise.resolve()
      return {
        async stop(): Promise<void> {
          stop.abort()
          await done
        },
      }
    },
  }
}
