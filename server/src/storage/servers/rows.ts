import type { Server } from '@muster/contract'
import { addressKey } from '../../domain/inventory/parse-network.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import type { Database } from '../database.ts'
import { cellOf, columns, fold, keepingOf, ofKeeping, type Cell, type Column } from './columns.ts'
import { searchText } from './search-text.ts'
import { keptTags } from './tags.ts'
import { placeColumns } from './where.ts'

/** Whether a server is in use, in the recycle bin, or gone. */
export function stateOf({ deleted, pending_deleted }: Server): 0 | 1 | 2 {
  if (deleted) return 2
  return pending_deleted ? 1 : 0
}

const textColumns = ofKeeping('text')
const wordColumns = ofKeeping('word')

/** The columns of the servers' table, in the order of their cells. */
export const serverColumns: readonly string[] = [
  'seq',
  'revision',
  'state',
  ...columns,
  ...textColumns.map((column) => `${column}_folded`),
]

/** Every text of a server that is kept by its code. */
export const wordsOf = (server: Server): string[] => [
  server.status,
  ...wordColumns.map((column) => server[column] as string),
  ...keptTags(server).flatMap(({ key, value }) => [key, value]),
]

type Codes = ReadonlyMap<string, number>

function code(codes: Codes, word: string): number {
  const known = codes.get(word)
  if (known === undefined) throw new Error('a word has no code')
  return known
}

function foldedCell(text: string): string | null {
  const folded = fold(text)
  return folded === text ? null : folded
}

export function serverRow(server: Server, seq: number, revision: number, codes: Codes): Cell[] {
  const cell = (column: Column) =>
    keepingOf(column) === 'word' ? code(codes, server[column] as string) : cellOf(server, column)
  return [
    seq,
    revision,
    stateOf(server),
    ...columns.map(cell),
    ...textColumns.map((column) => foldedCell(server[column] as string)),
  ]
}

export const documentColumns = [
  'server',
  'id',
  'revision',
  'state',
  'project_id',
  'domain_id',
  'manager_project_id',
  'facts_digest',
  'document_digest',
  'summary_digest',
  'metadata_digest',
  'admin_group',
  'metadata',
  'summary',
  'document',
] as const

/** SQLite hands bytes over as they are; PostgreSQL's text is quicker than its bytes. */
export function documentRow(
  { server, factsDigest, rendered }: ServerWrite,
  seq: number,
  revision: number,
  engine: Database['engine'],
): unknown[] {
  const { document, summary, metadata, adminGroup, digests } = rendered
  const kept = (text: string) => (engine === 'sqlite' ? Buffer.from(text) : text)
  return [
    seq,
    server.id,
    revision,
    stateOf(server),
    server.project_id,
    server.domain_id,
    server.manager_project_id,
    factsDigest,
    digests.document,
    digests.summary,
    digests.metadata,
    adminGroup,
    kept(metadata),
    kept(summary),
    kept(document),
  ]
}

export function textRow(server: Server, seq: number): [number, string, string] {
  const { text, starts } = searchText(server)
  return [seq, text, starts]
}

export const tagRows = (server: Server, seq: number, codes: Codes) =>
  keptTags(server).map(({ origin, key, value }) => [
    seq,
    origin,
    code(codes, key),
    code(codes, value),
    stateOf(server),
    server.vcpu_count,
    server.vmem_size,
    server.disk,
  ])

export function addressRows(server: Server, seq: number) {
  const addresses = [
    ...server.nics.flatMap(({ ip_addr, ip6_addr }) => [ip_addr, ip6_addr]),
    server.eip,
  ]
  const keys = new Set(addresses.map(addressKey).filter((key) => key !== undefined))
  return [...keys].map((key) => [seq, key, stateOf(server)])
}

/** Which names go with which ids. */
export const placeRows = (server: Server, codes: Codes) =>
  Object.entries(placeColumns)
    .filter(([, [id, name]]) => server[id] !== '' || server[name] !== '')
    .map(
      ([place, [id, name]]) => [place, code(codes, server[id]), code(codes, server[name])] as const,
    )
