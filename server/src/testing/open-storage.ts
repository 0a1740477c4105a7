import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database, Inspect } from '../storage/database.ts'
import { createInitialDataStore } from '../storage/initial-data.ts'
import { defaultLimits, openPostgres } from '../storage/postgres/open.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { copyMigratedFile, createTestDatabase, type Engine } from './engines.ts'
import { ownTables, rowText } from './table-rows.ts'

const noInspection: Inspect = async () => {}
/** As with `startPlatform`: tests keep the machine busy. */
const limits = { ...defaultLimits, wait: 20_000 }

export interface StorageLocation {
  readonly folder: string
  readonly url: string | undefined
  open(address?: string): Promise<Database>
  /** Closes open databases and deletes the folder. */
  remove(): Promise<void>
}

/** An own data directory or PostgreSQL database. It can be reopened after a close; PostgreSQL can be opened several times at once. */
export async function createStorageLocation(
  engine: Engine,
  kind: 'empty' | 'migrated' = 'empty',
): Promise<StorageLocation> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-storage-'))
  const url = engine === 'postgres' ? await createTestDatabase(kind) : undefined
  if (engine === 'sqlite' && kind === 'migrated') copyMigratedFile(folder)
  const open = new Set<Database>()
  return {
    folder,
    url,
    async open(address = url) {
      const database = await (address === undefined
        ? openSqlite(folder, noInspection)
        : openPostgres(address, noInspection, limits))
      const tracked = {
        ...database,
        close() {
          open.delete(tracked)
          return database.close()
        },
      }
      open.add(tracked)
      return tracked
    },
    async remove() {
      await Promise.all(Array.from(open, (database) => database.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface TestStorage {
  readonly database: Database
  readonly location: StorageLocation
  close(): Promise<void>
}

/** Opens a storage with the initial data. The first administrator has no usable password. */
export async function openStorage(engine: Engine): Promise<TestStorage> {
  const location = await createStorageLocation(engine, 'migrated')
  const database = await location.open()
  await createInitialDataStore(database).create('no hash', Date.UTC(2026, 0, 1))
  return { database, location, close: () => location.remove() }
}

/** Every row of every table as text, in a stable order. */
export async function dumpTables(database: Database): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {}
  for (const { name } of await ownTables(database)) {
    const rows = await database.db
      .selectFrom(name as 'settings')
      .selectAll()
      .execute()
    dump[name] = rows.map(rowText).sort()
  }
  return dump
}

/**
 * The same without the tables that every failed login changes: the audit log and the counters of failures.
 */
export async function dumpLasting(database: Database): Promise<Record<string, string[]>> {
  const { events: _events, login_attempts: _counters, ...rest } = await dumpTables(database)
  return rest
}
