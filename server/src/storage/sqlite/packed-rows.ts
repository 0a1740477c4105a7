import { deserialize, serialize } from 'node:v8'
import { chunk } from '../../domain/chunk.ts'
import { inTurns } from '../../domain/next-turn.ts'
import type { Row } from '../database.ts'

const chunkSize = 512

/**
 * Rows that are sent to another thread. Many rows are sent in chunks, because receiving them all at once
 * would block that thread.
 */
export type PackedRows = readonly Row[] | readonly Uint8Array[]

export function packRows(rows: readonly Row[]): PackedRows {
  const plain = rows.map((row) => ({ ...row }))
  return plain.length <= chunkSize
    ? plain
    : [...chunk(plain, chunkSize)].map((some) => serialize(some))
}

const isPacked = (packed: PackedRows): packed is readonly Uint8Array[] =>
  packed[0] instanceof Uint8Array

/** Other requests run between the chunks. */
export async function unpackRows(packed: PackedRows): Promise<Row[]> {
  if (!isPacked(packed)) return [...packed]
  const rows: Row[] = []
  for await (const chunks of inTurns(packed, 1)) {
    for (const bytes of chunks) rows.push(...(deserialize(bytes) as Row[]))
  }
  return rows
}
