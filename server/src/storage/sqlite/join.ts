import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { OnServersCommitted, ThreadDatabase } from '../database.ts'
import { createDatabaseStatistics } from '../database-statistics.ts'
import { keyFingerprintsSql } from '../key-fingerprint.ts'
import { buildServersCommit } from '../server-versions.ts'
import { createKysely } from './bridge.ts'
import { createPrepare, createSnapshotReader, openFile } from './file.ts'
import { joinWriter } from './writer.ts'

/** The database of this process, for another thread: it reads by itself and sends writes to the writer thread. */
export function joinSqlite(
  directory: string,
  port: MessagePort,
  onServersCommitted: OnServersCommitted,
): ThreadDatabase {
  const connection = openFile(join(directory, 'muster.db'))
  connection.exec('pragma query_only = on')
  const prepare = createPrepare(connection)
  const statistics = createDatabaseStatistics()
  const db = createKysely(connection, prepare, statistics.noteQuery)
  const readSnapshot = createSnapshotReader(connection, prepare)
  const writer = joinWriter(port, statistics)
  return {
    engine: 'sqlite',
    db,
    run: (queries) => statistics.measure('read', async () => readSnapshot(queries), queries),
    commit: writer.commit,
    async commitServers(statements, scopeIds, serialized = []) {
      const commit = buildServersCommit(db, statements, scopeIds, serialized)
      onServersCommitted(
        commit.versionFrom(await writer.commitServers(commit.statements)),
        scopeIds,
      )
    },
    async maintain(statements) {
      for (const sql of statements) await writer.commit([{ sql, parameters: [] }])
    },
    counts: () => ({ ...statistics.read(), pools: {}, queues: { writer: writer.counts() } }),
    observe: statistics.observe,
    keyFingerprints: () => prepare(keyFingerprintsSql).get()?.['value'] as string | undefined,
    async close() {
      writer.close()
      await db.destroy()
    },
  }
}
