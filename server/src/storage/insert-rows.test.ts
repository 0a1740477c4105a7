import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothEngines } from '../testing/engines.ts'
import { openStorage, type TestStorage } from '../testing/open-storage.ts'
import { createWriteRows } from './insert-rows.ts'
import { documentColumns } from './servers/rows.ts'

onBothEngines('rows that are inserted or replaced', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  const texts = ['', '\\N', '\\.', 'a\tb\nc\rd\\e', '"\u0001\b\f\v', '😀 ä', 'x'.repeat(20_000)]
  const bytes = [Buffer.from([0, 9, 10, 13, 92, 255]), Buffer.alloc(0), null]
  const rows = (changed: string) =>
    texts.map((text, at) =>
      documentColumns.map((column) => {
        if (column === 'server' || column === 'revision' || column === 'state') return at
        return column === 'packed' ? (bytes[at % bytes.length] ?? null) : text + changed
      }),
    )

  test('store every text, number and byte', async () => {
    const { database } = storage
    const write = createWriteRows(database, 'server_documents', documentColumns, ['server'])
    const stored = async () => {
      const found = await database.db
        .selectFrom('server_documents')
        .selectAll()
        .orderBy('server')
        .execute()
      return found.map((row) =>
        documentColumns.map((column) =>
          column === 'packed' && row.packed ? Buffer.from(row.packed) : row[column],
        ),
      )
    }
    await database.commit(write(rows(''), []))
    assert.deepEqual(await stored(), rows(''))
    await database.commit(write([], rows(' changed')))
    assert.deepEqual(await stored(), rows(' changed'))
    await assert.rejects(database.commit(write(rows(''), [])), { kind: 'unique' })
    assert.deepEqual(await stored(), rows(' changed'))
  })

  test('are stored all or none, whatever else is committed with them', async () => {
    const { database } = storage
    const { db } = database
    const write = createWriteRows(database, 'server_documents', documentColumns, ['server'])
    const row = (server: number) =>
      documentColumns.map((column) => {
        if (column === 'server') return server
        return column === 'packed' ? null : column === 'revision' || column === 'state' ? 0 : ''
      })
    const commit = (from: number, length: number, last = from + length) =>
      database.commit(write([...Array.from({ length }, (_, at) => row(from + at)), row(last)], []))
    const sizes = [1, 10, 100]
    // Sent in the same turn, so that SQLite has a chance to write them in one transaction.
    const results = await Promise.allSettled(
      sizes.flatMap((size) => [
        commit(size * 1_000, size),
        commit(size * 2_000, size, size * 2_000),
      ]),
    )
    assert.deepEqual(
      results.map(({ status }) => status),
      sizes.flatMap(() => ['fulfilled', 'rejected']),
    )
    const found = await db
      .selectFrom('server_documents')
      .select('server')
      .where('server', '>=', 1_000)
      .orderBy('server')
      .execute()
    assert.deepEqual(
      found.map(({ server }) => server),
      sizes.flatMap((size) => Array.from({ length: size + 1 }, (_, at) => size * 1_000 + at)),
    )
  })
})
