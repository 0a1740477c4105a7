import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { composeDemo } from '../composition/compose-demo.ts'
import { composeSync } from '../composition/compose-sync.ts'
import { defaultTaskLimits } from '../composition/task-limits.ts'
import { kinds } from '../sources/kinds.ts'
import type { Database } from '../storage/database.ts'
import { createServerWriter } from '../storage/servers/server-writer.ts'
import { createAccountStore } from '../storage/sources/account-store.ts'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import type { Engine } from './engines.ts'
import { dumpTables, openStorage } from './open-storage.ts'
import { testPasswordCost } from './password-cost.ts'

const hasher = createPasswordHasher(testPasswordCost)
const quietLog = { debug: () => {}, info: () => {}, warn: () => {} }
const tasks = { taskTimeout: 900_000, recycleFor: 604_800_000, ...defaultTaskLimits }
const world = { disappearanceHold: 0, tasks, reachable: [], runner: 'test', kinds }

interface Options {
  readonly servers?: number
  /** Only the accounts are checked: their servers count as loaded at once. */
  readonly isQuick?: boolean
}

const organisation = ['assignments', 'cloudaccounts', 'domains', 'projects', 'roles', 'users']

/** Everything that a demo creates except its servers. */
export async function dumpOrganisation(database: Database) {
  const tables = await dumpTables(database)
  return organisation.map((name) => tables[name])
}

/** A storage where a demo can be started, again and again, with the work on its accounts beside it. */
export async function startTestDemo(t: TestContext, engine: Engine) {
  const storage = await openStorage(engine)
  const { database, location } = storage
  const key = loadSecretKey(join(location.folder, 'secret.key'))
  const accounts = createAccountStore(database, key)
  const serverWriter = createServerWriter(database, Date.now)
  const { syncClient, stop } = composeSync({ ...world, database, key, log: quietLog })
  t.after(async () => {
    await stop()
    await storage.close()
  })
  let loads = 0
  let finished = 0

  async function reconcile(id: string, isQuick: boolean): Promise<void> {
    loads += 1
    if (!isQuick) return await syncClient.reconcile(id)
    finished += 1
    await database.commit([
      sql`update account_syncs set finished_at = ${finished}, mapped_revision = (select revision from cloudaccounts where id = account_id)`.compile(
        database.db,
      ),
    ])
  }

  return {
    database,
    accounts,
    serverWriter,
    /** How often the last start has waited for servers. */
    loads: () => loads,

    async start({ servers, isQuick = false }: Options = {}) {
      loads = 0
      const demo = await composeDemo({
        config: { demoServers: servers },
        database,
        hasher,
        key,
        clock: () => Date.UTC(2026, 10, 15),
        logger: quietLog,
        accounts,
        syncClient: { reconcile: (id) => reconcile(id, isQuick) },
        serverWriter,
      })
      await demo.loaded
      return demo
    },

    async listServers() {
      return await database.db
        .selectFrom('server_documents')
        .select(['id', 'project_id', 'account_id', 'state'])
        .execute()
    },
  }
}
