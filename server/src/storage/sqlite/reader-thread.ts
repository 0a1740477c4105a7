import { parentPort, workerData } from 'node:worker_threads'
import { serveCalls } from '../../threads/worker-calls.ts'
import { createPrepare, createSnapshotReader, openFile } from './file.ts'
import { packRows, type PackedRows } from './packed-rows.ts'
import type { ReaderData, ReadRequest } from './readers.ts'

/** A thread that runs slow queries, one request at a time. */
const { file, stopped } = workerData as ReaderData
let current = 0
const checkStop = () => {
  if (Atomics.load(stopped, 0) >= current) throw new Error('the query was stopped')
}
const database = openFile(file, checkStop)
database.exec('pragma query_only = on')
const read = createSnapshotReader(database, createPrepare(database), checkStop)

if (!parentPort) throw new Error('a reader must run in a worker thread')
serveCalls<ReadRequest, PackedRows[], string>(parentPort, (calls) => {
  for (const { request, respond, fail } of calls) {
    current = request.id
    try {
      respond(read(request.queries).map(packRows))
    } catch (error) {
      fail((error as Error).message)
    }
  }
})
