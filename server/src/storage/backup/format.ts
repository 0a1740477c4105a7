import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'

/**
 * A backup is a file of JSON lines, compressed with Zstandard: a header, each table with its columns
 * followed by its rows, and a last line with the number of rows and a digest of all lines before it.
 * Bytes are written in hexadecimal after `\x`, in an array of one text.
 */
export const formatVersion = 1

export type Value = string | number | null | Uint8Array
export type Row = readonly Value[]

export interface BackupHeader {
  readonly muster_backup: number
  /** The version of Muster that made the backup. */
  readonly version: string
  /** The last migration of the database. */
  readonly schema: string
  /** Of the secret key, without which passwords of accounts and access keys cannot be decrypted. */
  readonly key_fingerprint: string
  readonly created_at: string
  readonly rows: number
}

/** Some rows of one table. */
export interface RowChunk {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** The file is not a backup, or it was damaged. */
export class BackupError extends Error {}

const fileProblems: Readonly<Record<string, string>> = {
  EACCES: 'no permission. The user of this command needs access to the file and its folder',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is no such file or folder',
  EROFS: 'its file system is read-only',
}

/** Explains an error of the operating system about the backup file. Other errors are returned unchanged. */
export function explainFileError(error: unknown): unknown {
  const problem = fileProblems[(error as { code?: string }).code ?? '']
  return problem === undefined ? error : new BackupError(problem)
}

/** A restore would delete data. */
export class ReplaceError extends Error {
  constructor() {
    super('the database has data. To restore in its place, add --replace')
  }
}

const rowsPerChunk = 500

const toJson = (value: Value) =>
  value instanceof Uint8Array ? [Buffer.from(value).toString('hex')] : value
const fromJson = (value: string | number | null | [string]): Value =>
  Array.isArray(value) ? Buffer.from(value[0], 'hex') : value

/** The lines of a backup. Several lines are passed on at a time. */
export async function* writeLines(
  header: BackupHeader,
  chunks: AsyncIterable<RowChunk>,
): AsyncGenerator<string> {
  const digest = createHash('sha256')
  const pass = (lines: readonly unknown[]) => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    digest.update(text)
    return text
  }
  yield pass([header])
  let rows = 0
  let table = ''
  for await (const chunk of chunks) {
    const isNew = chunk.table !== table
    table = chunk.table
    rows += chunk.rows.length
    yield pass([
      ...(isNew ? [{ table, columns: chunk.columns }] : []),
      ...chunk.rows.map((row) => row.map(toJson)),
    ])
  }
  yield pass([{ rows }])
  yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`
}

/** The lines of a file, without their ends. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  const text = createZstdDecompress()
  // Errors of the file reach the reader of the text.
  pipeline(createReadStream(file), text, () => {})
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of text as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.subarray(start, end)
      start = end + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) throw new BackupError('the last line is cut off')
}

const parse = (line: Buffer): unknown => JSON.parse(line.toString())

type JsonRow = readonly (string | number | null | [string])[]
type OtherLine = Partial<
  Pick<RowChunk, 'table' | 'columns'> & { readonly rows: number; readonly sha256: string }
>

function parseHeader(line: Buffer): BackupHeader {
  const header = parse(line) as Partial<BackupHeader> | null
  const format = header?.muster_backup
  if (typeof format !== 'number') throw new BackupError('it is not a backup of Muster')
  if (format !== formatVersion) {
    throw new BackupError(
      `its format is ${String(format)}, and this version reads ${formatVersion}`,
    )
  }
  return header as BackupHeader
}

/**
 * Reads a backup. Throws a `BackupError` at the end unless the file has every row and byte that was
 * written, so nothing of it may be used before.
 */
export async function readBackup(
  file: string,
  onHeader: (header: BackupHeader) => Promise<void>,
  onRows: (chunk: RowChunk) => Promise<void>,
): Promise<void> {
  try {
    await readChecked(file, onHeader, onRows)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (error instanceof SyntaxError) throw new BackupError('it has a line that is not JSON')
    if (code.startsWith('Z')) throw new BackupError('it is damaged or not a backup of Muster')
    throw explainFileError(error)
  }
}

async function readChecked(
  file: string,
  onHeader: (header: BackupHeader) => Promise<void>,
  onRows: (chunk: RowChunk) => Promise<void>,
): Promise<void> {
  const digest = createHash('sha256')
  let current: Pick<RowChunk, 'table' | 'columns'> | undefined
  let chunk: Row[] = []
  let isFirst = true
  let isComplete = false
  let rows = 0
  const flush = async () => {
    if (current && chunk.length > 0) await onRows({ ...current, rows: chunk })
    chunk = []
  }
  for await (const line of readLines(file)) {
    if (isComplete) throw new BackupError('it has lines after its end')
    if (isFirst) {
      isFirst = false
      await onHeader(parseHeader(line))
    } else if (line[0] === openBracket) {
      rows += 1
      chunk.push((parse(line) as JsonRow).map(fromJson))
      if (chunk.length === rowsPerChunk) await flush()
    } else {
      const { table, columns, rows: total, sha256 } = parse(line) as OtherLine
      await flush()
      if (table !== undefined && columns) current = { table, columns }
      if (total !== undefined && total !== rows) {
        throw new BackupError(`it has ${rows} of ${total} rows`)
      }
      if (sha256 !== undefined) {
        if (sha256 !== digest.digest('hex')) throw new BackupError('its checksum is wrong')
        isComplete = true
        continue
      }
    }
    digest.update(line).update('\n')
  }
  if (!isComplete) throw new BackupError('its end is missing')
}

const openBracket = '['.charCodeAt(0)
