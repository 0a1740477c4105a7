import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { MessagePort, Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import { PlatformError } from '../domain/error.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { SyncStatistics } from '../metrics/sync-metrics.ts'
import type { Database } from '../storage/database.ts'
import { fromFailure, type Failure } from '../threads/failure.ts'
import { createCaller } from '../threads/worker-calls.ts'
import type { TaskSettings } from './compose-task-runner.ts'
import type { Tracing } from './compose-tracing.ts'
import type { SyncMessage, SyncRequest, SyncThreadData } from './sync-messages.ts'

interface Parts {
  readonly database: Database
  readonly secretKeyFile: string
  readonly reachable: readonly string[]
  readonly disappearanceHold: number
  readonly tasks: TaskSettings
  readonly tracing: Pick<Tracing, 'ratio' | 'add'> | undefined
  readonly logger: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>
  /** Whether progress is shown elsewhere, so that the log does not repeat it. */
  readonly isQuiet: () => boolean
  /** Whether some account needs to run. */
  readonly hasAccounts: () => Promise<boolean>
}

interface SyncThread {
  readonly worker: Worker
  readonly call: (request: SyncRequest) => Promise<unknown>
}

/** How often to check for accounts that another process attached, and for a thread that has ended. */
const checkInterval = 5_000
const longestStop = 5_000

/**
 * V8 collects garbage less often with a larger heap limit. Without these limits a long load leaves
 * hundreds of megabytes of garbage. They are enough for a million servers.
 */
const resourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 }

const threadEnded = () =>
  new PlatformError(
    'ServiceUnavailable',
    'Synchronization is not running. It restarts automatically.',
    {
      retryAfter: 5,
    },
  )

/**
 * Starts the sync thread when an account needs to run, or at the first call. A fresh installation
 * never starts it.
 */
export function startSync(parts: Parts) {
  const { database, secretKeyFile, reachable, disappearanceHold, tasks, tracing } = parts
  const { logger, isQuiet, hasAccounts } = parts
  // Only one process uses a SQLite database, so after a crash it renews its own lease at once.
  const runner = database.engine === 'sqlite' ? 'local' : randomUUID()
  let thread: SyncThread | undefined
  let isStopped = false
  let statistics: SyncStatistics | undefined

  function handle(message: SyncMessage): void {
    switch (message.kind) {
      case 'servers-committed':
        return database.noteServersCommitted(message.version, message.scopeIds)
      case 'statistics':
        statistics = message.statistics
        return
      case 'span':
        return tracing?.add(message.span)
      case 'log': {
        const level = message.level === 'info' && isQuiet() ? 'debug' : message.level
        return logger[level](message.fields, message.message)
      }
    }
  }

  function start(): SyncThread {
    const storage = database.share()
    const workerData: SyncThreadData = {
      storage,
      secretKeyFile,
      reachable,
      disappearanceHold,
      tasks,
      runner,
      traceRatio: tracing?.ratio,
    }
    const worker = new Worker(new URL('./sync-thread.ts', import.meta.url), {
      workerData,
      resourceLimits,
      transferList: Object.values(storage).filter((value) => value instanceof MessagePort),
    })
    const caller = createCaller<SyncRequest, unknown, Failure>(worker, { toError: fromFailure })
    const started = { worker, call: caller.call }
    worker.unref()
    worker.on('message', handle)
    worker.on('error', (error) => logger.error({ err: error }, 'the sync thread failed'))
    worker.on('exit', () => {
      if (thread === started) thread = undefined
      statistics = undefined
      caller.end(threadEnded())
    })
    return started
  }

  function call(method: keyof SyncClient, parameters: readonly unknown[]): Promise<unknown> {
    if (isStopped) return Promise.reject(threadEnded())
    thread ??= start()
    return thread.call({ method, parameters })
  }

  async function startIfNeeded(): Promise<void> {
    if (thread || isStopped) return
    if (await hasAccounts().catch(() => false)) {
      if (!isStopped) thread ??= start()
    }
  }
  void startIfNeeded()
  const timer = setInterval(() => void startIfNeeded(), checkInterval)
  timer.unref()

  const syncClient: SyncClient = {
    reconcile: async (...parameters) => void (await call('reconcile', parameters)),
    test: (...parameters) => call('test', parameters) as ReturnType<SyncClient['test']>,
    preview: (...parameters) => call('preview', parameters) as ReturnType<SyncClient['preview']>,
    wakeTasks: async (...parameters) => void (await call('wakeTasks', parameters)),
    probe: async (...parameters) => void (await call('probe', parameters)),
    refresh: (...parameters) => call('refresh', parameters) as ReturnType<SyncClient['refresh']>,
  }

  return {
    syncClient,
    /** Undefined until the thread has started. */
    statistics: () => statistics,
    async stop(): Promise<void> {
      isStopped = true
      clearInterval(timer)
      if (!thread) return
      const { worker } = thread
      worker.postMessage('stop')
      const deadline = setTimeout(() => void worker.terminate(), longestStop)
      await once(worker, 'exit')
      clearTimeout(deadline)
    },
  }
}
