import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { openSqlite } from './open.ts'

const inUse = /another Muster process is using the data directory/
const open = (folder: string) => openSqlite(folder, async () => {})

function makeFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-sqlite-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Another process that opens the folder, reports the result, and runs until it is stopped. */
async function openElsewhere(context: TestContext, folder: string) {
  const script = `
    const { openSqlite } = await import(${JSON.stringify(import.meta.resolve('./open.ts'))})
    try {
      await openSqlite(${JSON.stringify(folder)}, async () => {})
      console.log('opened')
    } catch (error) {
      console.log(error.message)
      process.exit()
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close').then(() => ['nothing'])
  const end = async () => {
    child.kill('SIGKILL')
    await closed
  }
  context.after(end)
  const [said] = await Promise.race([once(child.stdout, 'data'), closed])
  return { said: String(said).trim(), end }
}

describe('a data directory', () => {
  test('REL-25: cannot be opened twice in one process', async (context) => {
    const folder = makeFolder(context)
    const database = await open(folder)
    await assert.rejects(open(folder), inUse)
    await database.ping()
    await database.close()
  })

  test('REL-25: cannot be opened by a second process until the first one closes it', async (context) => {
    const folder = makeFolder(context)
    const database = await open(folder)
    assert.match((await openElsewhere(context, folder)).said, inUse)
    await database.close()
    assert.equal((await openElsewhere(context, folder)).said, 'opened')
  })

  test('REL-25: is free again when its process is killed', async (context) => {
    const folder = makeFolder(context)
    const holder = await openElsewhere(context, folder)
    assert.equal(holder.said, 'opened')
    await assert.rejects(open(folder), inUse)
    await holder.end()
    const database = await open(folder)
    await database.close()
  })

  test('is unlocked when its data is rejected', async (context) => {
    const folder = makeFolder(context)
    const refused = new Error('not this data')
    await assert.rejects(
      openSqlite(folder, () => Promise.reject(refused)),
      refused,
    )
    const database = await open(folder)
    await database.close()
  })

  test('cannot be written through the reading connection', async (context) => {
    const database = await open(makeFolder(context))
    await assert.rejects(
      database.db.insertInto('settings').values({ key: 'side', value: '' }).execute(),
      /readonly/,
    )
    await database.close()
  })

  test('has durable commits and enforced foreign keys', async (context) => {
    const database = await open(makeFolder(context))
    // Asked of the connection that writes.
    const pragma = async (name: string) => {
      const query = database.db.selectFrom('settings').selectAll().compile()
      const [outcome] = await database.commit([{ ...query, sql: `pragma ${name}`, parameters: [] }])
      return Object.values(outcome?.rows[0] ?? {})[0]
    }
    assert.equal(await pragma('journal_mode'), 'wal')
    assert.equal(await pragma('synchronous'), 2)
    assert.equal(await pragma('foreign_keys'), 1)
    await database.close()
  })
})

describe('a disk that is full', () => {
  test('SEC-11: fails every write that was not stored, and stores none of those', async (context) => {
    const database = await open(makeFolder(context))
    context.after(() => database.close())
    const put = (key: string, size: number) =>
      database.db
        .insertInto('settings')
        .values({ key, value: 'x'.repeat(size) })
        .compile()
    const [pages] = await database.commit([{ sql: 'pragma page_count', parameters: [] }])
    const limit = Number(pages?.rows[0]?.['page_count']) + 4
    await database.commit([{ sql: `pragma max_page_count = ${limit}`, parameters: [] }])
    const results = await Promise.allSettled([
      database.commit([put('fits', 10)]),
      database.commit([put('too large', 1_000_000)]),
      database.commit([put('after it', 10)]),
      database.commit([put('and this', 10), put('with this', 10)]),
    ])
    const kept = await database.db.selectFrom('settings').select('key').execute()
    const fulfilled = results.filter(({ status }) => status === 'fulfilled').length
    assert.equal(kept.length > 0, fulfilled > 0, JSON.stringify(kept))
    assert.equal(results[1]?.status, 'rejected')
    await database.commit([put('later', 10)])
  })
})

describe('a writer thread that has ended', () => {
  test('SEC-02: leaves no version to trust, fails the ping, and lets the process end', async (context) => {
    const started = once(process, 'worker') as Promise<[Worker]>
    const database = await open(makeFolder(context))
    const [thread] = await started
    assert.notEqual(database.currentVersion(), undefined)
    await thread.terminate()
    // It is unknown what it still committed.
    assert.equal(database.currentVersion(), undefined)
    await assert.rejects(database.ping(), { class: 'ServiceUnavailable' })
    await assert.rejects(database.commit([]), { class: 'ServiceUnavailable' })
    await database.close()
  })
})
