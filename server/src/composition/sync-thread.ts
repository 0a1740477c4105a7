import { parentPort, workerData } from 'node:worker_threads'
import { SourceError } from '../domain/sources/source-error.ts'
import { PlatformError } from '../domain/error.ts'
import { kinds } from '../sources/kinds.ts'
import type { Database, OnServersCommitted } from '../storage/database.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import { composeSync } from './compose-sync.ts'
import {
  toFailure,
  type SyncMessage,
  type SyncRequest,
  type SyncThreadData,
} from './sync-messages.ts'

/**
 * The thread that works with sources: talking to them, and making of what they say what is kept, is
 * out of the way of those who read.
 */
if (!parentPort) throw new Error('sources are worked with in a thread of their own')
const port = parentPort
const { storage, secretKeyFile, reachable, disappearanceHold, runner } =
  workerData as SyncThreadData
const tell = (message: SyncMessage) => port.postMessage(message)

const onServersCommitted: OnServersCommitted = (version, scopes) =>
  tell({ kind: 'servers-committed', version, scopes })

async function openStorage(): Promise<Database> {
  if (storage.engine === 'postgres') {
    const { openPostgres } = await import('../storage/postgres/open.ts')
    return await openPostgres(storage.url, async () => {}, onServersCommitted, storage.limits)
  }
  const { joinSqlite } = await import('../storage/sqlite/join.ts')
  return joinSqlite(storage.directory, storage.line, onServersCommitted)
}

const database = await openStorage()
const sync = composeSync({
  database,
  secretBox: loadSecretKey(secretKeyFile),
  kinds,
  reachable,
  disappearanceHold,
  runner,
  log: {
    debug: (fields, message) => tell({ kind: 'log', level: 'debug', fields, message }),
    info: (fields, message) => tell({ kind: 'log', level: 'info', fields, message }),
    warn: (fields, message) => tell({ kind: 'log', level: 'warn', fields, message }),
  },
})
sync.start()

async function answer({ id, method, parameters }: Exclude<SyncRequest, 'stop'>): Promise<void> {
  const perform = sync.syncClient[method] as (...given: readonly unknown[]) => Promise<unknown>
  try {
    tell({ kind: 'answer', id, value: await perform(...parameters) })
  } catch (error) {
    tell({ kind: 'failure', id, failure: toFailure(toPlatformError(error)) })
  }
}

/** Trouble with a source is not trouble with Muster: whoever asked is told what it is. */
const toPlatformError = (error: unknown): unknown =>
  error instanceof SourceError ? new PlatformError('BadGateway', error.message) : error

port.on('message', (request: SyncRequest) => {
  if (request !== 'stop') {
    void answer(request)
    return
  }
  void sync
    .stop()
    .then(() => database.close())
    .finally(() => port.close())
})
