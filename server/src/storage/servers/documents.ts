import type { Server } from '@muster/contract'
import { sql, type Kysely } from 'kysely'
import { createCache, type CacheMemory } from '../../domain/cache.ts'
import { chunk } from '../../domain/chunk.ts'
import { nextTurn } from '../../domain/next-turn.ts'
import { upgradeServer } from '../../domain/inventory/build-server.ts'
import { renderingVersion, renderServer } from '../../domain/inventory/render-server.ts'
import type { BodyKind, Found, ServerParts } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Query, QueryPriority, Row } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'
import type { Tables } from '../tables.ts'

/** Estimated bytes of the texts of a server beside its documents. */
const textSize = 600

/** Servers per chunk. A chunk takes the serving thread a few milliseconds. */
const chunkSize = 128

interface ReadServer {
  readonly revision: number
  readonly parts: ServerParts
}

const sizeOf = ({ body, metadata }: ServerParts) => body.length + (metadata?.length ?? 0) + textSize

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
      'rendering',
      `${kind} as body`,
      `${kind}_digest as digest`,
      'metadata_digest',
      ...(withMetadata ? (['metadata'] as const) : []),
    ])

const toParts = (row: Row): ServerParts => ({
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

const toText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)

/** Parses a stored document. Names of owners and fields that depend on the caller are missing. */
export function parseServer(row: {
  readonly document: unknown
  readonly metadata: unknown
  readonly admin_group: string
}): Server {
  const admin = row.admin_group === '' ? '' : `,${row.admin_group}`
  return JSON.parse(`${toText(row.document)}${admin},"metadata":${toText(row.metadata)}}`) as Server
}

const isOutdated = (row: Row) => row['rendering'] !== renderingVersion

/** Renders a whole document that another version of Muster stored. */
function renderOutdated(row: Row, kind: BodyKind, withMetadata: boolean): ServerParts {
  const { body: document, metadata, admin_group } = row
  const server = parseServer({ document, metadata, admin_group: admin_group as string })
  const rendered = renderServer(upgradeServer(server))
  return {
    ...toParts(row),
    adminGroup: rendered.adminGroup,
    body: Buffer.from(rendered[kind]),
    digest: rendered.digests[kind],
    metadata: withMetadata ? Buffer.from(rendered.metadata) : undefined,
    metadataDigest: rendered.digests.metadata,
  }
}

/** The parts of a row with the whole document and its metadata. */
export const wholeParts = (row: Row): ServerParts =>
  isOutdated(row) ? renderOutdated(row, 'document', true) : toParts(row)

/** Reads rendered servers by their numbers. */
export function createDocuments(database: DatabaseReader, memory: CacheMemory) {
  const { db, engine } = database
  const cache = createCache<number, number, ServerParts>(memory, sizeOf)

  /** One cache with one limit for all four kinds of documents, which are part of the key. */
  const keyOf = (seq: number, kind: BodyKind, withMetadata: boolean) =>
    seq * 4 + (kind === 'document' ? 0 : 2) + (withMetadata ? 1 : 0)

  /** Queries are compiled once, because compiling takes longer than running them. */
  const queryOf = (kind: BodyKind, withMetadata: boolean) => {
    const template = createStatementTemplate<{ numbers: unknown }>(['numbers'], ({ numbers }) =>
      selectParts(db, kind, withMetadata)
        .where(
          engine === 'postgres'
            ? sql<boolean>`server = any(${numbers}::integer[])`
            : sql<boolean>`server in (select value from json_each(${numbers}))`,
        )
        .compile(),
    )
    return (seqs: readonly number[]) =>
      template({ numbers: engine === 'postgres' ? seqs : JSON.stringify(seqs) })
  }
  const queries = {
    document: [queryOf('document', false), queryOf('document', true)],
    summary: [queryOf('summary', false), queryOf('summary', true)],
  } as const
  const queryFor = (seqs: readonly number[], kind: BodyKind, withMetadata: boolean): Query =>
    queries[kind][withMetadata ? 1 : 0](seqs)

  async function readCurrent(
    seqs: readonly number[],
    kind: BodyKind,
    withMetadata: boolean,
    priority: QueryPriority,
  ): Promise<Map<number, ReadServer>> {
    const [rows = []] = await database.run([queryFor(seqs, kind, withMetadata)], priority)
    const read = new Map<number, ReadServer>()
    const add = (row: Row, parts: ServerParts) =>
      read.set(Number(row['server']), { revision: Number(row['revision']), parts })
    const outdated: number[] = []
    for (const row of rows) {
      if (isOutdated(row)) outdated.push(Number(row['server']))
      else add(row, toParts(row))
    }
    if (outdated.length === 0) return read
    // A short form cannot be upgraded by itself: the whole document is needed.
    const [whole = []] = await database.run([queryFor(outdated, 'document', true)], priority)
    for (const row of whole) add(row, renderOutdated(row, kind, withMetadata))
    return read
  }

  return async function load(
    found: readonly Found[],
    kind: BodyKind,
    withMetadata: boolean,
    priority: QueryPriority = 'quick',
  ): Promise<readonly ServerParts[] | undefined> {
    const known = found.map(({ seq, revision }) =>
      cache.get(keyOf(seq, kind, withMetadata), revision),
    )
    const missing = found.filter((_, at) => known[at] === undefined).map(({ seq }) => seq)
    if (missing.length === 0) return known as ServerParts[]
    const fresh = new Map<number, ReadServer>()
    for (const [index, seqs] of [...chunk(missing, chunkSize)].entries()) {
      // Let other requests run before the next chunk.
      if (index > 0) await nextTurn()
      for (const entry of await readCurrent(seqs, kind, withMetadata, priority)) fresh.set(...entry)
    }
    // Streamed documents are not cached, because they are rarely read again.
    if (priority === 'quick')
      for (const [seq, { revision, parts }] of fresh)
        cache.set(keyOf(seq, kind, withMetadata), revision, parts)
    const parts = found.map(({ seq, revision }, at) => {
      const read = fresh.get(seq)
      return known[at] ?? (read?.revision === revision ? read.parts : undefined)
    })
    return parts.every((part) => part !== undefined) ? parts : undefined
  }
}
