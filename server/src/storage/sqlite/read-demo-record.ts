import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findDemoRecord, type DemoRecord } from '../demo-record.ts'
import { createKysely } from './bridge.ts'

/** The demo in a data directory that another process may be using; undefined if there is none. */
export async function readDemoRecord(directory: string): Promise<DemoRecord | undefined> {
  const file = join(directory, 'muster.db')
  if (!existsSync(file)) return undefined
  try {
    const db = createKysely(new DatabaseSync(file, { readOnly: true }))
    return await findDemoRecord(db).finally(() => db.destroy())
  } catch {
    // The file cannot be read or has another schema, so it holds no demo that could be reported.
    return undefined
  }
}
