import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { MessagePort, Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import { PlatformError } from '../domain/error.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { Database } from '../storage/database.ts'
import {
  fromFailure,
  type SyncMessage,
  type SyncRequest,
  type SyncThreadData,
} from './sync-messages.ts'

interface Parts {
  readonly database: Database
  readonly secretKeyFile: string
  readonly reachable: readonly string[]
  readonly disappearanceHold: number
  readonly logger: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>
  /** Whether progress is told elsewhere at the moment, so that the log need not. */
  readonly isQuiet: () => boolean
  /** Whether there is an account to be run. */
  readonly hasAccounts: () => Promise<boolean>
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Another process may have attached an account; and a thread that ended is started again. */
const lookAgain = 5_000
const longestStop = 5_000

/**
 * V8 lets the heap of a thread grow to several times what is live in it, the more the larger its limit:
 * without these the garbage of a long load comes to hundreds of megabytes. The limit is enough for
 * accounts of a million servers.
 */
const resourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 }

const ended = () =>
  new PlatformError(
    'ServiceUnavailable',
    'Synchronization is not running. It restarts automatically.',
    {
      retryAfter: 5,
    },
  )

/**
 * The thread that works with sources, started when there is an account to be run or something is
 * asked of it: most processes of a test, and a fresh Muster, never need it.
 */
export function startSync(parts: Parts) {
  const { database, secretKeyFile, reachable, disappearanceHold } = parts
  const { logger, isQuiet, hasAccounts } = parts
  // Only one process has a SQLite storage: after a crash it is the same one that goes on.
  const runner = database.engine === 'sqlite' ? 'local' : randomUUID()
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let lastId = 0
  let isStopped = false

  function hear(message: SyncMessage): void {
    switch (message.kind) {
      case 'servers-committed':
        return database.noteServersCommitted(message.version, message.scopes)
      case 'log': {
        const level = message.level === 'info' && isQuiet() ? 'debug' : message.level
        return logger[level](message.fields, message.message)
      }
      case 'answer':
        waiting.get(message.id)?.resolve(message.value)
        return void waiting.delete(message.id)
      case 'failure':
        waiting.get(message.id)?.reject(fromFailure(message.failure))
        return void waiting.delete(message.id)
    }
  }

  function start(): Worker {
    const storage = database.extend()
    const workerData: SyncThreadData = {
      storage,
      secretKeyFile,
      reachable,
      disappearanceHold,
      runner,
    }
    const started = new Worker(new URL('./sync-thread.ts', import.meta.url), {
      workerData,
      resourceLimits,
      transferList: Object.values(storage).filter((value) => value instanceof MessagePort),
    })
    started.unref()
    started.on('message', hear)
    started.on('error', (error) =>
      logger.error({ err: error }, 'sync thread failed and is restarted'),
    )
    started.on('exit', () => {
      if (thread === started) thread = undefined
      for (const { reject } of waiting.values()) reject(ended())
      waiting.clear()
    })
    return started
  }

  function ask(method: keyof SyncClient, parameters: readonly unknown[]): Promise<unknown> {
    if (isStopped) return Promise.reject(ended())
    thread ??= start()
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      thread?.postMessage({ id, method, parameters } satisfies SyncRequest)
    })
  }

  async function startIfNeeded(): Promise<void> {
    if (thread || isStopped) return
    if (await hasAccounts().catch(() => false)) {
      if (!isStopped) thread ??= start()
    }
  }
  void startIfNeeded()
  const timer = setInterval(() => void startIfNeeded(), lookAgain)
  timer.unref()

  const syncClient: SyncClient = {
    reconcile: async (...parameters) => void (await ask('reconcile', parameters)),
    test: (...parameters) => ask('test', parameters) as ReturnType<SyncClient['test']>,
    preview: (...parameters) => ask('preview', parameters) as ReturnType<SyncClient['preview']>,
    refresh: (...parameters) => ask('refresh', parameters) as ReturnType<SyncClient['refresh']>,
  }

  return {
    syncClient,
    async stop(): Promise<void> {
      isStopped = true
      clearInterval(timer)
      const stopping = thread
      if (!stopping) return
      stopping.postMessage('stop' satisfies SyncRequest)
      const impatience = setTimeout(() => void stopping.terminate(), longestStop)
      await once(stopping, 'exit')
      clearTimeout(impatience)
    },
  }
}
