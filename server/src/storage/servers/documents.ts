import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { chunk } from '../../domain/chunk.ts'
import { nextTurn } from '../../domain/next-turn.ts'
import type { BodyKind, Found, ServerParts } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Query, QueryPriority, Row } from '../database.ts'
import type { Tables } from '../tables.ts'

/** The size of the cache of rendered servers, in bytes. */
const cacheBytes = 256 * 2 ** 20
const overhead = 400

/** Servers per chunk. A chunk takes the serving thread a few milliseconds. */
const chunkSize = 128

interface CachedServer {
  readonly revision: number
  readonly parts: ServerParts
}

const sizeOf = ({ parts: { body, metadata } }: CachedServer) =>
  body.length + (metadata?.length ?? 0) + overhead

/** A rendered text as bytes. The engines return different types. */
const toBytes = (value: unknown): Buffer =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(String(value))

/** The columns of rendered servers that a page needs. */
export const selectParts = (db: Kysely<Tables>, kind: BodyKind, withMetadata: boolean) =>
  db
    .selectFrom('server_documents')
    .select([
      'server',
      'revision',
      'id',
      'state',
      'project_id',
      'domain_id',
      'manager_project_id',
      'account_id',
      'admin_group',
      `${kind} as body`,
      `${kind}_digest as digest`,
      'metadata_digest',
      ...(withMetadata ? (['metadata'] as const) : []),
    ])

export const toParts = (row: Row): ServerParts => ({
  id: row['id'] as string,
  projectId: row['project_id'] as string,
  domainId: row['domain_id'] as string,
  managerProjectId: row['manager_project_id'] as string,
  accountId: row['account_id'] as string,
  isDeleted: row['state'] === 2,
  adminGroup: row['admin_group'] as string,
  body: toBytes(row['body']),
  digest: row['digest'] as string,
  metadata: row['metadata'] === undefined ? undefined : toBytes(row['metadata']),
  metadataDigest: row['metadata_digest'] as string,
})

/** Reads rendered servers by their numbers. */
export function createDocuments(database: DatabaseReader) {
  const { db } = database
  const cache = new LRUCache<number, CachedServer>({ maxSize: cacheBytes, sizeCalculation: sizeOf })

  /** One cache with one limit for all four kinds of documents, which are part of the key. */
  const keyOf = (seq: number, kind: BodyKind, withMetadata: boolean) =>
    seq * 4 + (kind === 'document' ? 0 : 2) + (withMetadata ? 1 : 0)

  /** Queries are compiled once, because compiling takes longer than running them. */
  const texts = new Map<string, string>()
  function queryFor(seqs: readonly number[], kind: BodyKind, withMetadata: boolean): Query {
    const name = `${kind} ${withMetadata} ${seqs.length}`
    const text =
      texts.get(name) ??
      selectParts(db, kind, withMetadata)
        .where('server', 'in', [...seqs])
        .compile().sql
    texts.set(name, text)
    return { sql: text, parameters: seqs }
  }

  const toCached = (row: Row): CachedServer => ({
    revision: Number(row['revision']),
    parts: toParts(row),
  })

  return async function load(
    found: readonly Found[],
    kind: BodyKind,
    withMetadata: boolean,
    priority: QueryPriority = 'quick',
  ): Promise<readonly ServerParts[] | undefined> {
    const known = found.map(({ seq, revision }) => {
      const cached = cache.get(keyOf(seq, kind, withMetadata))
      return cached?.revision === revision ? cached.parts : undefined
    })
    const missing = found.filter((_, at) => known[at] === undefined).map(({ seq }) => seq)
    if (missing.length === 0) return known as ServerParts[]
    const read = new Map<number, CachedServer>()
    for (const [index, seqs] of [...chunk(missing, chunkSize)].entries()) {
      // Let other requests run before the next chunk.
      if (index > 0) await nextTurn()
      const [rows = []] = await database.run([queryFor(seqs, kind, withMetadata)], priority)
      for (const row of rows) read.set(Number(row['server']), toCached(row))
    }
    // Streamed documents are not cached, because they are rarely read again.
    if (priority === 'quick')
      for (const [seq, cached] of read) cache.set(keyOf(seq, kind, withMetadata), cached)
    const parts = found.map(({ seq, revision }, at) => {
      const cached = read.get(seq)
      return known[at] ?? (cached?.revision === revision ? cached.parts : undefined)
    })
    return parts.every((part) => part !== undefined) ? parts : undefined
  }
}
