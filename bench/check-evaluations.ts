import { createCacheMemory } from '../server/src/domain/cache.ts'
import { createEvaluateChecks } from '../server/src/domain/checks/evaluate-checks.ts'
import { createOwners } from '../server/src/domain/inventory/owners.ts'
import { createEvaluationStore } from '../server/src/storage/checks/evaluation-store.ts'
import { createOwnerDirectory } from '../server/src/storage/owners.ts'
import { createServerFinder } from '../server/src/storage/servers/server-list/server-finder.ts'
import { createServerWriter } from '../server/src/storage/servers/server-writer.ts'
import { createAccountStore } from '../server/src/storage/sources/account-store.ts'
import { loadSecretKey } from '../server/src/vault/secret-key.ts'
import type { Row } from './benchmark.ts'
import type { HistoryFleet } from './history-fleet.ts'

/** Evaluates the built-in checks, and returns how long it took as a row. */
export function createMeasureChecks({ database, keyFile, clock, engine }: HistoryFleet) {
  const memory = createCacheMemory(64 * 2 ** 20)
  const identityVersion = { current: database.currentVersion }
  const owners = createOwners(createOwnerDirectory(database), identityVersion, memory)
  const evaluateChecks = createEvaluateChecks({
    store: createEvaluationStore(database, clock),
    finder: createServerFinder(database, owners, memory),
    serverWriter: createServerWriter(database, clock),
    owners,
    accounts: createAccountStore(database, loadSecretKey(keyFile)),
    clock,
    onError(_, error) {
      throw error
    },
  })

  return async function measure(what: string): Promise<Row> {
    const begin = performance.now()
    await evaluateChecks()
    const seconds = (performance.now() - begin) / 1_000
    const { violations } = await database.db
      .selectFrom('check_violations')
      .select((eb) => eb.fn.countAll<number>().as('violations'))
      .executeTakeFirstOrThrow()
    return {
      what: `checks, ${what}, ${engine}`,
      measured: `${seconds.toFixed(2)} s (${violations} violations)`,
      target: 'no target',
      reached: true,
    }
  }
}
