import type { Server } from '@muster/contract'
import { sql, type Kysely } from 'kysely'
import { createCache, type CacheMemory } from '../../../domain/cache.ts'
import { inTurns } from '../../../domain/next-turn.ts'
import { upgradeServer } from '../../../domain/inventory/build-server.ts'
import { renderingVersion, renderServer } from '../../../domain/inventory/render-server.ts'
import type { Found, ServerParts } from '../../../domain/inventory/ports.ts'
import type { DatabaseReader, QueryPriority, Row } from '../../database.ts'
import { createStatementTemplate } from '../../statement-template.ts'
import type { Tables } from '../../tables.ts'
import { unpackDocuments, type Documents } from '../packed-documents.ts'

/** Estimated bytes of the texts of a server beside its documents. */
const textSize = 600

const sizeOf = ({ body, metadata }: ServerParts) => body.length + metadata.length + textSize

/** A rendered text as bytes. The engines return different types. */
const toBytes = (value: unknown): Buffer =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(String(value))

/** Everything that is stored of rendered servers. */
export const selectDocuments = (db: Kysely<Tables>) =>
  db.selectFrom('server_documents').select([
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
    'document_digest',
    'packed',
    // Empty unless an earlier version of Muster stored the server.
    'document',
    'metadata',
  ])

interface StoredDocuments {
  readonly packed: Uint8Array | null
  readonly document: unknown
  readonly metadata: unknown
}

/** The rendered texts of servers. An outdated server that is not packed has no short form here. */
export function documentsOf(rows: readonly StoredDocuments[]): Documents[] {
  const unpacked = unpackDocuments(
    rows.map(({ packed }) => packed).filter((packed) => packed !== null),
  )
  let next = 0
  return rows.map(
    ({ packed, document, metadata }) =>
      (packed === null ? undefined : unpacked[next++]) ?? {
        document: toBytes(document),
        shortLength: 0,
        metadata: toBytes(metadata),
      },
  )
}

/** Parses a stored document. Names of owners and fields that depend on the caller are missing. */
export function parseServer(
  { document, metadata }: Pick<Documents, 'document' | 'metadata'>,
  adminGroup: string,
): Server {
  const admin = adminGroup === '' ? '' : `,${adminGroup}`
  return JSON.parse(`${document.toString()}${admin},"metadata":${metadata.toString()}}`) as Server
}

/** Renders a document that another version of Muster stored. */
function renderAgain(documents: Documents, row: Row) {
  const server = parseServer(documents, row['admin_group'] as string)
  const { short, rest, metadata, adminGroup, digest } = renderServer(upgradeServer(server))
  return {
    adminGroup,
    digest,
    document: Buffer.from(`${short},${rest}`),
    shortLength: Buffer.byteLength(short),
    metadata: Buffer.from(metadata),
  }
}

/** The parts of servers that a response is made of. */
export function toParts(rows: readonly Row[]): readonly ServerParts[] {
  const stored = documentsOf(rows as unknown as readonly StoredDocuments[])
  return rows.map((row, at) => {
    const own = stored[at] as Documents
    const isOutdated = row['rendering'] !== renderingVersion
    const { adminGroup, digest, document, shortLength, metadata } = isOutdated
      ? renderAgain(own, row)
      : {
          ...own,
          adminGroup: row['admin_group'] as string,
          digest: row['document_digest'] as string,
        }
    return {
      id: row['id'] as string,
      projectId: row['project_id'] as string,
      domainId: row['domain_id'] as string,
      managerProjectId: row['manager_project_id'] as string,
      accountId: row['account_id'] as string,
      isDeleted: row['state'] === 2,
      adminGroup,
      // Copies: a cached part must not hold the texts of the other servers in memory.
      body: Buffer.from(document),
      shortLength,
      metadata: Buffer.from(metadata),
      digest,
    }
  })
}

/** Reads rendered servers by their numbers. */
export function createLoadDocuments(database: DatabaseReader, memory: CacheMemory) {
  const { db, engine } = database
  const cache = createCache<number, number, ServerParts>(memory, 'documents', sizeOf)

  /** Compiled once, because compiling takes longer than running it. */
  const queryFor = createStatementTemplate<{ numbers: unknown }>(['numbers'], ({ numbers }) =>
    selectDocuments(db)
      .where(
        engine === 'postgres'
          ? sql<boolean>`server = any(${numbers}::integer[])`
          : sql<boolean>`server in (select value from json_each(${numbers}))`,
      )
      .compile(),
  )

  async function readCurrent(seqs: readonly number[], priority: QueryPriority): Promise<Row[]> {
    const numbers = engine === 'postgres' ? seqs : JSON.stringify(seqs)
    const [rows = []] = await database.run([queryFor({ numbers })], priority)
    return rows
  }

  return async function load(
    found: readonly Found[],
    priority: QueryPriority = 'quick',
  ): Promise<readonly ServerParts[] | undefined> {
    const wanted = new Map<number, number>()
    const parts: (ServerParts | undefined)[] = []
    for (const [at, { seq, revision }] of found.entries()) {
      parts.push(cache.get(seq, revision))
      if (!parts[at]) wanted.set(seq, at)
    }
    for await (const missing of inTurns([...wanted.keys()])) {
      const rows = await readCurrent(missing, priority)
      for (const [index, read] of toParts(rows).entries()) {
        const [seq, revision] = [Number(rows[index]?.['server']), Number(rows[index]?.['revision'])]
        // Streamed documents are not cached, because they are rarely read again.
        if (priority === 'quick') cache.set(seq, revision, read)
        const at = wanted.get(seq) ?? 0
        if (found[at]?.revision === revision) parts[at] = read
      }
    }
    return parts.includes(undefined) ? undefined : (parts as ServerParts[])
  }
}
export type LoadDocuments = ReturnType<typeof createLoadDocuments>
