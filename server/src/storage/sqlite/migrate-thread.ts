import { workerData } from 'node:worker_threads'
import { migrate } from '../migrations/migrate.ts'
import { createKysely } from './bridge.ts'
import { openFile } from './file.ts'

/** Migrates the file without blocking the thread that started this one. */
const db = createKysely(openFile(workerData as string))
await migrate(db).finally(() => db.destroy())
