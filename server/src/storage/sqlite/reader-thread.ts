import { parentPort, workerData } from 'node:worker_threads'
import { createSnapshotReader, openFile } from './file.ts'
import type { Errand, Findings, ReaderData } from './readers.ts'

/** A thread that reads, one errand at a time. */
const { file, stopped } = workerData as ReaderData
let current = 0
const checkStop = () => {
  if (Atomics.load(stopped, 0) >= current) throw new Error('the query was stopped')
}
const database = openFile(file, checkStop)
database.exec('pragma query_only = on')
const read = createSnapshotReader(database, checkStop)

if (!parentPort) throw new Error('a reader runs in a thread of its own')
const port = parentPort

function run({ id, queries }: Errand): Findings {
  current = id
  try {
    return { rows: read(queries).map((rows) => rows.map((row) => ({ ...row }))) }
  } catch (error) {
    return { message: (error as Error).message }
  }
}

port.on('message', (errand: Errand) => port.postMessage(run(errand)))
