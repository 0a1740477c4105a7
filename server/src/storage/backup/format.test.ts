import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { BackupError, explainFileError, readBackup, writeLines, type RowChunk } from './format.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-format-'))
after(() => rmSync(folder, { recursive: true }))

const header = {
  muster_backup: 1,
  version: '1.2.3',
  schema: '0001-identity',
  key_fingerprint: 'key',
  created_at: '2026-01-02T03:04:05.000Z',
  rows: 3,
}

/** Values that a line, JSON or a database could change. */
const chunks: RowChunk[] = [
  { table: 'a', columns: ['x', 'y'], rows: [['line\nbreak \u2028 "quoted"', null]] },
  { table: 'a', columns: ['x', 'y'], rows: [['', 2 ** 53 - 1]] },
  { table: 'b', columns: ['z'], rows: [[Buffer.from([0, 10, 255])]] },
]

async function* chunkStream(): AsyncGenerator<RowChunk> {
  yield* chunks
}

async function writeText(): Promise<string> {
  return (await Array.fromAsync(writeLines(header, chunkStream()))).join('')
}

async function read(content: Uint8Array): Promise<RowChunk[]> {
  const file = join(folder, 'backup')
  writeFileSync(file, content)
  const found: RowChunk[] = []
  await readBackup(
    file,
    async (read) => assert.deepEqual(read, header),
    async (chunk) => void found.push(chunk),
  )
  return found
}

describe('the format of backups', () => {
  test('returns all values as they were', async () => {
    const found = await read(zstdCompressSync(await writeText()))
    const rowsOf = (list: readonly RowChunk[], name: string) =>
      list.filter(({ table }) => table === name).flatMap(({ rows }) => rows)
    for (const name of ['a', 'b']) assert.deepEqual(rowsOf(found, name), rowsOf(chunks, name))
  })

  test('returns large tables in parts', async () => {
    const rows = Array.from({ length: 1_203 }, (_, at) => [String(at)])
    async function* large(): AsyncGenerator<RowChunk> {
      yield { table: 'a', columns: ['x'], rows }
    }
    const lines = await Array.fromAsync(writeLines({ ...header, rows: rows.length }, large()))
    const file = join(folder, 'large')
    writeFileSync(file, zstdCompressSync(lines.join('')))
    const found: RowChunk[] = []
    await readBackup(
      file,
      async () => {},
      async (chunk) => void found.push(chunk),
    )
    assert.deepEqual(
      found.map((chunk) => chunk.rows.length),
      [500, 500, 203],
    )
    assert.deepEqual(
      found.flatMap((chunk) => chunk.rows),
      rows,
    )
  })

  test('tells which file or folder cannot be read', async () => {
    const readPath = (path: string) =>
      readBackup(
        path,
        async () => {},
        async () => {},
      )
    for (const [path, message] of [
      [join(folder, 'missing'), 'there is no such file or folder'],
      [folder, 'it is a folder'],
    ] as const) {
      await assert.rejects(readPath(path), new BackupError(message))
    }
    const other = new Error('other')
    assert.equal(explainFileError(other), other)
  })

  test('rejects a file that is damaged anywhere', async () => {
    const text = await writeText()
    const whole = zstdCompressSync(text)
    for (let length = 0; length < whole.length; length += 7) {
      await assert.rejects(read(whole.subarray(0, length)), BackupError, `cut at ${length}`)
    }
    const lines = text.trimEnd().split('\n')
    const changed = {
      'a line less': lines.toSpliced(2, 1),
      'a line twice': lines.toSpliced(2, 0, lines[2] ?? ''),
      'another value': lines.with(3, '["",1]'),
      'no end': lines.slice(0, -1),
      'more after the end': [...lines, '["x"]'],
      'another format': lines.with(0, '{"muster_backup":2}'),
      'something else': ['[1]', ...lines],
    }
    for (const [title, list] of Object.entries(changed)) {
      const content = zstdCompressSync(`${list.join('\n')}\n`)
      await assert.rejects(read(content), BackupError, title)
    }
    await assert.rejects(read(Buffer.from(text)), BackupError, 'not compressed')
  })
})
