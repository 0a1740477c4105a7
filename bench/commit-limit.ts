import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newEventId } from '../server/src/domain/audit/event.ts'

type Value = string | number | null
type Row = Record<string, Value>

const newToken = () => randomBytes(32).toString('base64url')
const newSpending = () => `signature:${randomBytes(32).toString('base64url')}`

/** Writes copies of the newest row of a table, which a real login has written, with new ids. */
function prepareCopies(database: DatabaseSync, table: string, newId: () => string) {
  const newest = database.prepare(`select * from ${table} order by rowid desc limit 1`).get() as Row
  const { id: _id, ...rest } = newest
  const columns = ['id', ...Object.keys(rest)]
  const places = columns.map(() => '?').join(', ')
  const insert = database.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
  return { newest, write: () => insert.run(newId(), ...Object.values(rest)) }
}

/** Stores the last use of a key as a login does: at most once a second per address. */
function prepareLastUse(database: DatabaseSync, id: Value, ip: Value) {
  const update = database.prepare(
    `update access_keys set last_used_at = ?, last_used_ip = ? where id = ?
      and (last_used_at is null or last_used_at <= ? or last_used_ip <> ?)`,
  )
  return () => {
    const now = Date.now()
    return update.run(now, ip, id, now - 1_000, ip)
  }
}

/** All writes of one login, of the same kind as the last one in this database. */
function prepareLogin(database: DatabaseSync): () => void {
  const token = prepareCopies(database, 'tokens', newToken)
  const event = prepareCopies(database, 'events', () => newEventId(Date.now()))
  const { access_key_id: accessKey, ip } = token.newest
  const writes = [token.write, event.write]
  if (typeof accessKey === 'string') {
    const spending = prepareCopies(database, 'spent', newSpending)
    writes.unshift(prepareLastUse(database, accessKey, ip ?? ''), spending.write)
  }
  return () => {
    for (const write of writes) write()
  }
}

/**
 * The group commit limit: the rows of logins, written durably by the database driver alone, with as
 * many logins per transaction as would be waiting. Returns logins per second.
 */
export function measureCommits(folder: string, waiting: number, seconds: number): number {
  const database = new DatabaseSync(join(folder, 'data', 'muster.db'), { timeout: 5_000 })
  database.exec('pragma synchronous = full')
  const writeLogin = prepareLogin(database)
  const end = performance.now() + seconds * 1_000
  let count = 0
  while (performance.now() < end) {
    database.exec('begin immediate')
    for (let written = 0; written < waiting; written += 1) writeLogin()
    database.exec('commit')
    count += waiting
  }
  database.close()
  return count / seconds
}
