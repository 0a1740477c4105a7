import type { Server } from '@muster/contract'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { documentDictionary as dictionary } from '../servers/document-dictionary.ts'

/** A whole version of a server, compressed. */
export const packVersion = (server: Server): Buffer =>
  zstdCompressSync(Buffer.from(JSON.stringify(server)), { dictionary })

export const unpackVersion = (packed: Uint8Array): Server =>
  JSON.parse(zstdDecompressSync(packed, { dictionary }).toString()) as Server
