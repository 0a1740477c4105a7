import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerChange } from '@muster/contract'

/**
 * A program that follows the changes of servers as `docs/history.md` says, until it is killed: it stores the
 * position in the transaction of the result. The address of Muster is in a file, because a restart changes it.
 */
const [addressFile = '', token = '', file = ''] = process.argv.slice(2)
const database = new DatabaseSync(file)
database.exec(`pragma busy_timeout = 10000;
  create table if not exists progress (id integer primary key, position text not null);
  create table if not exists results (number integer primary key, change text not null)`)
const store = database.prepare('insert into results (change) values (?)')
const advance = database.prepare('insert or replace into progress values (1, ?)')

async function readPage(after: string) {
  const url = `${readFileSync(addressFile, 'utf8')}/servers/changes?scope=system&limit=7&wait=5`
  const response = await fetch(`${url}&after=${after}`, { headers: { 'x-auth-token': token } })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { changes: ServerChange[]; position: string }
}

for (;;) {
  const row = database.prepare('select position from progress').get()
  const page = await readPage((row?.['position'] as string | undefined) ?? 'start').catch(() => {})
  if (page) {
    database.exec('begin immediate')
    for (const { id } of page.changes) store.run(id)
    advance.run(page.position)
    database.exec('commit')
  } else await pause(50)
}
