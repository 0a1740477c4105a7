import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { RenderedServer } from '../../domain/inventory/render-server.ts'
import { documentDictionary as dictionary } from './document-dictionary.ts'

/** The rendered texts of a server, as bytes. */
export type Documents = Readonly<Record<(typeof parts)[number], Buffer>>

/** In the order in which they are packed. */
const parts = ['summary', 'document', 'metadata'] as const

/** JSON in one line has no line feed. */
const lineFeed = 0x0a

/** Small tables: by default, preparing them takes longer than compressing a document. */
const params = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_windowLog]: 15,
  [constants.ZSTD_c_hashLog]: 13,
  [constants.ZSTD_c_chainLog]: 13,
}
/** The initial size of the output, in bytes per server. */
const packedSize = 2_048
const unpackedSize = 6_144

/** Compresses the rendered texts of a server: all of them together, because they repeat each other. */
export function packDocuments(rendered: Pick<RenderedServer, (typeof parts)[number]>): Buffer {
  const bytes = Buffer.from(parts.map((part) => `${rendered[part]}\n`).join(''))
  return zstdCompressSync(bytes, {
    dictionary,
    params,
    chunkSize: packedSize,
    pledgedSrcSize: bytes.length,
  })
}

/**
 * Decompresses the texts of servers. It is called once for all servers of a page, because a call
 * takes longer than the decompression of a server. The results share one buffer.
 */
export function unpackDocuments(packed: readonly Uint8Array[]): Documents[] {
  if (packed.length === 0) return []
  const bytes = zstdDecompressSync(Buffer.concat(packed), {
    dictionary,
    chunkSize: packed.length * unpackedSize,
  })
  let start = 0
  const next = () => {
    const end = bytes.indexOf(lineFeed, start)
    const part = bytes.subarray(start, end)
    start = end + 1
    return part
  }
  return packed.map(() => ({ summary: next(), document: next(), metadata: next() }))
}
