import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findDemoRecord, type DemoRecord } from '../demo-record.ts'
import { createKysely } from './bridge.ts'

/** The demo in a data directory, which another process may be using; undefined where there is none. */
export async function readDemoRecord(directory: string): Promise<DemoRecord | undefined> {
  const file = join(directory, 'muster.db')
  if (!existsSync(file)) return undefined
  try {
    const db = createKysely(new DatabaseSync(file, { readOnly: true }))
    return await findDemoRecord(db).finally(() => db.destroy())
  } catch {
    // It cannot be read, or is of another make: it is nobody's business here.
    return undefined
  }
}
