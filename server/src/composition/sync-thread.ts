import { parentPort, workerData } from 'node:worker_threads'
import { SourceError } from '../domain/sources/source-error.ts'
import { PlatformError } from '../domain/error.ts'
import { kinds } from '../sources/kinds.ts'
import type { OnServersCommitted, ThreadDatabase } from '../storage/database.ts'
import { toFailure, type Failure } from '../threads/failure.ts'
import { lowerPriority } from '../threads/lower-priority.ts'
import { serveCalls } from '../threads/worker-calls.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import { traceStatements } from '../tracing/trace-statements.ts'
import { createTracer } from '../tracing/tracer.ts'
import { composeSync } from './compose-sync.ts'
import type { SyncMessage, SyncRequest, SyncThreadData } from './sync-messages.ts'

/** The thread that syncs accounts, so that slow sources and large scans do not delay requests. */
if (!parentPort) throw new Error('the sync must run in a worker thread')
const port = parentPort
// Requests have priority over scans.
lowerPriority()
const { storage, secretKeyFile, reachable, disappearanceHold, tasks, runner, traceRatio } =
  workerData as SyncThreadData
const statisticsInterval = 2_000
const tell = (message: SyncMessage) => port.postMessage(message)

const onServersCommitted: OnServersCommitted = (version, scopeIds) =>
  tell({ kind: 'servers-committed', version, scopeIds })

async function openStorage(): Promise<ThreadDatabase> {
  if (storage.engine === 'postgres') {
    const { joinPostgres } = await import('../storage/postgres/open.ts')
    return await joinPostgres(storage.url, onServersCommitted, storage.limits)
  }
  const { joinSqlite } = await import('../storage/sqlite/join.ts')
  return joinSqlite(storage.directory, storage.port, onServersCommitted)
}

const database = await openStorage()
const tracer =
  traceRatio === undefined
    ? undefined
    : createTracer(traceRatio, (span) => tell({ kind: 'span', span }))
if (tracer) traceStatements(database, tracer)
const key = loadSecretKey(secretKeyFile)
key.follow(database.keyFingerprints)
const sync = composeSync({
  database,
  key,
  kinds,
  reachable,
  disappearanceHold,
  tasks,
  runner,
  tracer,
  log: {
    debug: (fields, message) => tell({ kind: 'log', level: 'debug', fields, message }),
    info: (fields, message) => tell({ kind: 'log', level: 'info', fields, message }),
    warn: (fields, message) => tell({ kind: 'log', level: 'warn', fields, message }),
  },
})
sync.start()
const tellStatistics = () => tell({ kind: 'statistics', statistics: sync.statistics() })
const timer = setInterval(tellStatistics, statisticsInterval)

/** An error of a source is reported as such to the caller, not as a fault of Muster. */
const toPlatformError = (error: unknown): unknown =>
  error instanceof SourceError ? new PlatformError('BadGateway', error.message) : error

serveCalls<SyncRequest, unknown, Failure>(
  port,
  (calls) => {
    for (const { request, respond, fail } of calls) {
      const method = sync.syncClient[request.method] as (...given: unknown[]) => Promise<unknown>
      method(...request.parameters).then(respond, (error: unknown) =>
        fail(toFailure(toPlatformError(error))),
      )
    }
  },
  () => {
    // The only other message is 'stop'.
    clearInterval(timer)
    void sync
      .stop()
      .then(() => database.close())
      .finally(() => port.close())
  },
)
