import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { Database, OnServersCommitted } from '../database.ts'
import { buildServersCommit } from '../server-versions.ts'
import { createKysely } from './bridge.ts'
import { createSnapshotReader, openFile } from './file.ts'
import { joinWriter } from './writer.ts'

const notHere = () => {
  throw new Error('this is done by the thread that serves')
}

/**
 * The storage of a process, for another thread of it: it reads by itself, and hands its writes to the
 * one thread that writes. It remembers no versions, since it is not told of others' writes.
 */
export function joinSqlite(
  directory: string,
  line: MessagePort,
  tell: OnServersCommitted,
): Database {
  const reader = openFile(join(directory, 'muster.db'))
  reader.exec('pragma query_only = on')
  const db = createKysely(reader)
  const readNow = createSnapshotReader(reader)
  const writer = joinWriter(line)
  return {
    engine: 'sqlite',
    db,
    commit: writer.commit,
    commitIdentity: notHere,
    currentVersion: () => undefined,
    run: async (queries) => readNow(queries),
    async commitServers(statements, scopes, inTurn = []) {
      const commit = buildServersCommit(db, statements, scopes, inTurn)
      tell(commit.versionOf(await writer.commit(commit.statements)), scopes)
    },
    async maintain(work) {
      for (const sql of work) await writer.commit([{ sql, parameters: [] }])
    },
    serversVersion: () => undefined,
    extend: notHere,
    noteServersCommitted: notHere,
    async ping() {
      await writer.commit([])
    },
    async close() {
      writer.close()
      await db.destroy()
    },
  }
}
