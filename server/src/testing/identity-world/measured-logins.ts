import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '@muster/contract'
import type { KyselyPlugin } from 'kysely'
import { composeIdentity } from '../../composition/compose-identity.ts'
import { composeInventory } from '../../composition/compose-inventory.ts'
import { createCacheMemory } from '../../domain/cache.ts'
import type { Compare, PasswordHasher } from '../../domain/identity/ports.ts'
import type { Clock } from '../../domain/clock.ts'
import { createApp } from '../../http/app.ts'
import { createLogger } from '../../log.ts'
import type { Database, Statements } from '../../storage/database.ts'
import { loadSecretKey } from '../../vault/secret-key.ts'
import type { TestPlatform } from '../start-platform.ts'

/** What the counting hasher stores for a password. */
export const plainHash = (password: string): string => `plain:${password}`

interface Counts {
  /** Comparisons with the hash of an account. */
  real: number
  /** Comparisons with nothing, made so that they cost the same. */
  decoy: number
}

function createCountingHasher() {
  const counts: Counts = { real: 0, decoy: 0 }
  const compare: Compare = async (stored, password) => {
    if (stored === null) counts.decoy += 1
    else counts.real += 1
    // A comparison takes some time, so that others run concurrently.
    await pause(2)
    return stored === plainHash(password)
  }
  const hasher: PasswordHasher = {
    hash: async (password) => plainHash(password),
    inTurn: (work) => work(compare),
  }
  return { counts, hasher }
}

/** A database that records each statement without its values. */
function recordStatements(database: Database) {
  const statements: string[] = []
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(database.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const note = (kind: string, given: Statements) => statements.push(`${kind} of ${given.length}`)
  const recorded: Database = {
    ...database,
    db: database.db.withPlugin(recorder),
    commit(given) {
      note('commit', given)
      return database.commit(given)
    },
    commitIdentity(given, version) {
      note('news', given)
      return database.commitIdentity(given, version)
    },
  }
  return { statements, recorded }
}

interface Options {
  readonly clock?: Clock
  readonly trustedProxies?: readonly string[]
}

/**
 * Identity on the storage of a running platform. Only the password hasher is fake: it counts its calls and
 * costs nothing, so that a test can send thousands of logins.
 */
export async function startMeasuredLogins(platform: TestPlatform, options: Options = {}) {
  const { clock = Date.now, trustedProxies = [] } = options
  const { authUrl, baseUrl, folder } = platform
  const { counts, hasher } = createCountingHasher()
  const { statements, recorded: database } = recordStatements(platform.database)

  const memory = createCacheMemory(2 ** 24)
  const identity = composeIdentity({
    database,
    hasher,
    key: loadSecretKey(join(folder, 'secret.key')),
    clock,
    memory,
    authUrl,
    baseUrl,
    region: 'region0',
    lifetime: 86_400_000,
    loginFailuresPerMinute: 0,
    tokensPerUser: 0,
    accessKeysPerUser: 0,
    keyConfirmation: 0,
    serviceAccountUnused: 0,
    eventRetention: 86_400_000,
    reachable: [],
  })

  const logger = createLogger('silent', { write: () => {} })
  const { app } = createApp(
    {
      authUrl,
      baseUrl,
      publicUrl: baseUrl,
      allowedHosts: [],
      isLoopback: true,
      platformName: 'muster',
      homePage: '/docs',
      mcpActions: false,
      requestsPerMinute: 0,
      trustedProxies,
      tls: undefined,
      clock,
      memory,
      logger,
      accessLog: { logger, interval: 0 },
    },
    {
      ...identity,
      ...composeInventory({
        ...identity,
        database,
        clock,
        memory,
        deletedRetention: 86_400_000,
        historyRetention: 86_400_000,
        syncTimes: { of: () => undefined, version: () => 0 },
      }),
      readPast: platform.readPast,
      readPastServer: platform.readPastServer,
      redactHistory: platform.redactHistory,
      ...platform.sources,
      ...platform.tasks,
      ...platform.checks,
      health: { check: async () => [] },
      otherMetrics: { metrics: [], refresh: async () => {} },
    },
    operations,
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    url,
    counts,
    /** The statements since the last call of this function. */
    takeStatements: () => statements.splice(0),
    close: () => app.close(),
  }
}
export type MeasuredLogins = Awaited<ReturnType<typeof startMeasuredLogins>>
