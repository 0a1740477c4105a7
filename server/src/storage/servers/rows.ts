import type { Server } from '@muster/contract'
import { resourceFields } from '../../domain/inventory/condition.ts'
import { addressKey } from '../../domain/inventory/parse-network.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import { renderingVersion } from '../../domain/inventory/render-server.ts'
import { searchText, type SearchText } from '../../domain/inventory/search-text.ts'
import { fold } from '../../domain/query/fold.ts'
import type { Cell } from '../sql-parts.ts'
import { cellOf, columns, storageClassOf, columnsOfClass } from './field-columns.ts'
import { packDocuments } from './packed-documents.ts'
import { storedTags, type StoredTag } from './tags.ts'
import type { Codes } from './text-dictionary.ts'

/** 0 live, 1 in the recycle bin, 2 deleted. */
export function stateOf({ deleted, pending_deleted }: Server): 0 | 1 | 2 {
  if (deleted) return 2
  return pending_deleted ? 1 : 0
}

const textColumns = columnsOfClass('text')
const wordColumns = columnsOfClass('dictionary')

/** The columns of the table `servers`, in the order of the cells of a row. */
export const serverColumns: readonly string[] = [
  'seq',
  'revision',
  'state',
  ...columns,
  ...textColumns.map((column) => `${column}_folded`),
]

/** A server to be written, with those parts that need neither its number nor the dictionary. */
export interface PreparedServer {
  readonly write: ServerWrite
  readonly server: Server
  readonly state: 0 | 1 | 2
  readonly tags: readonly StoredTag[]
  readonly texts: SearchText
  readonly packed: Buffer
}

export interface ServerEntry extends PreparedServer {
  readonly seq: number
}

export function prepareServer(write: ServerWrite): PreparedServer {
  const { server, rendered } = write
  return {
    write,
    server,
    state: stateOf(server),
    tags: storedTags(server),
    texts: searchText(server),
    packed: packDocuments(rendered),
  }
}

/** Adds every text of a server that is stored in the dictionary. */
export function addWords(server: Server, words: Set<string>): void {
  words.add(server.status)
  for (const column of wordColumns) words.add(server[column] as string)
  for (const { key, value } of storedTags(server)) words.add(key).add(value)
  for (const { network_id } of server.nics) words.add(network_id)
}

export function code(codes: Codes, word: string): number {
  const known = codes.get(word)
  if (known === undefined) throw new Error('a word has no code')
  return known
}

function foldedCell(text: string): string | null {
  const folded = fold(text)
  return folded === text ? null : folded
}

const storedColumns = columns.map((column) => [column, storageClassOf(column)] as const)

export function serverRow(entry: ServerEntry, revision: number, codes: Codes): Cell[] {
  const { server, seq, state } = entry
  const row: Cell[] = [seq, revision, state]
  for (const [column, storageClass] of storedColumns) {
    const value = server[column]
    row.push(
      storageClass === 'dictionary' ? code(codes, value as string) : cellOf(value, storageClass),
    )
  }
  for (const column of textColumns) row.push(foldedCell(server[column] as string))
  return row
}

export const documentColumns = [
  'server',
  'id',
  'revision',
  'state',
  'project_id',
  'domain_id',
  'manager_project_id',
  'account_id',
  'facts_digest',
  'document_digest',
  'admin_group',
  'summary_digest',
  'metadata_digest',
  'metadata',
  'summary',
  'document',
  'rendering',
  'packed',
] as const

export function documentRow(
  { write, server, seq, state, packed }: ServerEntry,
  revision: number,
): unknown[] {
  const { adminGroup, digest } = write.rendered
  return [
    seq,
    server.id,
    revision,
    state,
    server.project_id,
    server.domain_id,
    server.manager_project_id,
    server.account_id,
    write.factsDigest,
    digest,
    adminGroup,
    // Only earlier versions of Muster stored these.
    '',
    '',
    '',
    '',
    '',
    renderingVersion,
    packed,
  ]
}

/** What the rows of tags, addresses, networks and texts are made of. */
const indexed = (server: Server, tags: readonly StoredTag[], texts: SearchText) =>
  JSON.stringify([
    stateOf(server),
    tags,
    texts,
    server.vcpu_count,
    server.vmem_size,
    server.disk,
    server.eip,
    server.nics.map(({ ip_addr, ip6_addr, network_id }) => [ip_addr, ip6_addr, network_id]),
  ])

/** Whether these rows stay as they are, such as after a change of the status. */
export function keepsIndexRows({
  write: { stored },
  server,
  tags,
  texts,
}: PreparedServer): boolean {
  if (!stored || stored.newFields) return false
  const { server: before } = stored
  return indexed(server, tags, texts) === indexed(before, storedTags(before), searchText(before))
}

export const textRow = ({ seq, texts }: ServerEntry) => [seq, texts.text, texts.starts]

export const tagRows = ({ server, seq, state, tags }: ServerEntry, codes: Codes) =>
  tags.map(({ origin, key, value }) => [
    seq,
    origin,
    code(codes, key),
    code(codes, value),
    state,
    server.vcpu_count,
    server.vmem_size,
    server.disk,
  ])

export function addressRows({ server, seq, state }: ServerEntry) {
  const addresses = [
    ...server.nics.flatMap(({ ip_addr, ip6_addr }) => [ip_addr, ip6_addr]),
    server.eip,
  ].filter((address) => address !== '')
  const keys = new Set(addresses.map(addressKey).filter((key) => key !== undefined))
  return [...keys].map((key) => [seq, key, state])
}

/** The networks of the NICs. */
export const networkRows = ({ server, seq, state }: ServerEntry, codes: Codes) =>
  [...new Set(server.nics.map(({ network_id }) => network_id))]
    .filter((id) => id !== '')
    .map((id) => [seq, code(codes, id), state])

const named = Object.entries(resourceFields)

/** The names of regions, zones, hosts and the like by id. */
export const resourceNameRows = ({ server }: ServerEntry, codes: Codes) =>
  named
    .filter(([, [id, name]]) => server[id] !== '' || server[name] !== '')
    .map(
      ([resource, [id, name]]) =>
        [resource, code(codes, server[id]), code(codes, server[name])] as const,
    )
