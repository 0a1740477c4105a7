import { parentPort, workerData } from 'node:worker_threads'
import { createSnapshotReader, openFile } from './file.ts'
import type { Errand, Findings } from './readers.ts'

/** A thread that reads, one errand at a time. */
const database = openFile(workerData as string)
database.exec('pragma query_only = on')
const read = createSnapshotReader(database)

if (!parentPort) throw new Error('a reader runs in a thread of its own')
const port = parentPort

function run({ questions }: Errand): Findings {
  try {
    return { rows: read(questions).map((rows) => rows.map((row) => ({ ...row }))) }
  } catch (error) {
    return { message: (error as Error).message }
  }
}

port.on('message', (errand: Errand) => port.postMessage(run(errand)))
