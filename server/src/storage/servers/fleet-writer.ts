import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import type { FleetWriter, Found, KeptServer, ServerWrite } from '../../domain/inventory/ports.ts'
import { required, type Database, type Statement } from '../database.ts'
import { createInsertEvent } from '../events.ts'
import { Violation } from '../violation.ts'
import { loadInBulk } from './bulk.ts'
import { countStatements } from './counts.ts'
import { createHoldOwners } from './hold-owners.ts'
import { createInsertRows } from './insert-rows.ts'
import { takeNumbers } from './numbers.ts'
import {
  addressRows,
  documentColumns,
  documentRow,
  placeRows,
  serverColumns,
  serverRow,
  stateOf,
  tagRows,
  textRow,
  wordsOf,
} from './rows.ts'
import { createSearchStatements } from './search-index.ts'
import { createWords } from './words.ts'

const askedAtOnce = 500

function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += askedAtOnce) yield items.slice(at, at + askedAtOnce)
}

const text = (value: string | Uint8Array) =>
  typeof value === 'string' ? value : Buffer.from(value).toString()

/** What was rendered, read back; the names that identity keeps and the caller's fields stay blank. */
function parseServer(row: {
  document: string | Uint8Array
  metadata: string | Uint8Array
  admin_group: string
}): Server {
  const admin = row.admin_group === '' ? '' : `,${row.admin_group}`
  return JSON.parse(`${text(row.document)}${admin},"metadata":${text(row.metadata)}}`) as Server
}

/** Writes servers: what is shown, and everything they are found by, in one commit. */
export function createFleetWriter(database: Database): FleetWriter {
  const { read, engine } = database
  const codesOf = createWords(database)
  const insertEvent = createInsertEvent(read)
  const searchStatements = createSearchStatements(database)
  const holdOwners = createHoldOwners(database)
  const insertServers = createInsertRows(read, 'servers', serverColumns, 'replace', ['seq'])
  const insertDocuments = createInsertRows(read, 'server_documents', documentColumns, 'replace', [
    'server',
  ])
  const insertTexts = createInsertRows(
    read,
    'server_texts',
    ['server', 'text', 'starts'],
    'replace',
    ['server'],
  )
  const tagColumns = [
    'server',
    'origin',
    'key',
    'value',
    'state',
    'vcpu_count',
    'vmem_size',
    'disk',
  ]
  const insertTags = createInsertRows(
    read,
    'server_tags',
    tagColumns,
    'replace',
    tagColumns.slice(0, 3),
  )
  const addressColumns = ['server', 'address', 'state']
  const insertAddresses = createInsertRows(read, 'server_addresses', addressColumns, 'replace', [
    'server',
    'address',
  ])
  const insertPlaces = createInsertRows(read, 'server_places', ['place', 'id', 'name'], 'keep', [
    'place',
    'name',
    'id',
  ])
  /** Places that this process has written already. */
  const knownPlaces = new Set<string>()

  /** Nothing is written over what somebody else wrote meanwhile: revisions only grow, so their sum tells. */
  function demandUnchanged(kept: readonly Found[]): Statement[] {
    return [...inPieces(kept)].map((piece) => {
      const sum = piece.reduce((total, { revision }) => total + revision, 0)
      const seqs = sql.join(piece.map(({ seq }) => seq))
      const check = sql`select 1 as one from (select count(*) as n, sum(revision) as revisions from servers where seq in (${seqs})) as kept where n = ${piece.length} and revisions = ${sum}`
      return required(check.compile(read), 'revision')
    })
  }

  const deleteFrom = (table: 'server_tags' | 'server_addresses', seqs: readonly number[]) =>
    read.deleteFrom(table).where('server', 'in', seqs).compile()

  function newPlaces(writes: readonly ServerWrite[], codes: ReadonlyMap<string, number>) {
    const rows = writes
      .flatMap(({ server }) => placeRows(server, codes))
      .map((row) => [row.join(), row] as const)
      .filter(([key]) => !knownPlaces.has(key))
    return new Map(rows)
  }

  async function statementsFor(writes: readonly ServerWrite[]) {
    const codes = await codesOf(writes.flatMap(({ server }) => wordsOf(server)))
    const kept = writes.map((write) => write.kept).filter((before) => before !== undefined)
    const numbers = await takeNumbers(database, {
      server: writes.length - kept.length,
      revision: 1,
    })
    let next = numbers.server
    const numbered = writes.map((write) => ({ write, seq: write.kept?.seq ?? next++ }))
    const old = kept.map(({ seq }) => seq)
    const all = numbered.map(({ seq }) => seq)
    const places = newPlaces(writes, codes)
    const each = <Row>(make: (write: ServerWrite, seq: number) => Row): Row[] =>
      numbered.map(({ write, seq }) => make(write, seq))
    const texts = each(({ server }, seq) => textRow(server, seq))
    const isInUse = writes.map(({ server }) => stateOf(server) === 0)
    const statements: Statement[] = [
      ...holdOwners(writes),
      ...demandUnchanged(kept),
      ...[...inPieces(old)].flatMap((piece) => [
        ...countStatements(read, piece, -1),
        deleteFrom('server_tags', piece),
        deleteFrom('server_addresses', piece),
      ]),
      ...insertServers(each(({ server }, seq) => serverRow(server, seq, numbers.revision, codes))),
      ...insertDocuments(each((write, seq) => documentRow(write, seq, numbers.revision, engine))),
      ...insertTexts(texts),
      ...insertTags(each(({ server }, seq) => tagRows(server, seq, codes)).flat()),
      ...insertAddresses(each(({ server }, seq) => addressRows(server, seq)).flat()),
      ...insertPlaces([...places.values()].map((row) => [...row])),
      ...searchStatements(
        old,
        texts.filter((_, at) => isInUse[at]),
      ),
      ...[...inPieces(all)].flatMap((piece) => countStatements(read, piece, 1)),
    ]
    return { statements, places }
  }

  /** False, and nothing done, where somebody else has written one of them meanwhile. */
  async function commitUnlessOvertaken(
    statements: readonly Statement[],
    scopes: ReadonlySet<string>,
  ): Promise<boolean> {
    try {
      await database.commitFleet(statements, scopes)
      return true
    } catch (error) {
      const isOvertaken =
        error instanceof Violation && (error.kind === 'unmet' || error.kind === 'unique')
      if (isOvertaken) return false
      throw error
    }
  }

  const scopesOf = ({ kept, server }: ServerWrite) =>
    [server, ...(kept ? [kept.server] : [])].flatMap(({ project_id, domain_id }) => [
      project_id,
      domain_id,
    ])

  return {
    async factsDigests(ids) {
      const digests = new Map<string, string>()
      for (const piece of inPieces(ids)) {
        const rows = await read
          .selectFrom('server_documents')
          .select(['id', 'facts_digest'])
          .where('server', 'in', (eb) =>
            eb.selectFrom('servers').select('seq').where('id', 'in', piece),
          )
          .execute()
        for (const { id, facts_digest } of rows) digests.set(id, facts_digest)
      }
      return digests
    },

    async findKept(ids) {
      const found = new Map<string, KeptServer>()
      for (const piece of inPieces(ids)) {
        const rows = await read
          .selectFrom('server_documents')
          .select([
            'id',
            'server as seq',
            'revision',
            'facts_digest',
            'document',
            'metadata',
            'admin_group',
          ])
          .where('server', 'in', (eb) =>
            eb.selectFrom('servers').select('seq').where('id', 'in', piece),
          )
          .execute()
        for (const row of rows) {
          const { id, seq, revision } = row
          found.set(id, {
            id,
            seq,
            revision,
            factsDigest: row.facts_digest,
            server: parseServer(row),
          })
        }
      }
      return found
    },

    async write(writes, events = []) {
      if (writes.length === 0) return true
      const { statements, places } = await statementsFor(writes)
      const isWritten = await commitUnlessOvertaken(
        [...statements, ...events.map(insertEvent)],
        new Set(writes.flatMap(scopesOf)),
      )
      if (isWritten) for (const key of places.keys()) knownPlaces.add(key)
      return isWritten
    },

    inBulk: (load) => loadInBulk(database, load),

    async hasRealServers() {
      const row = await read
        .selectFrom('servers')
        .select('seq')
        .where(sql<boolean>`is_emulated = 0`)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async purgeDeleted(before) {
      for (;;) {
        const rows = await read
          .selectFrom('servers')
          .innerJoin('server_documents', 'server_documents.server', 'servers.seq')
          .select([
            'seq',
            'servers.revision',
            'server_documents.project_id',
            'server_documents.domain_id',
          ])
          .where('servers.state', '=', 2)
          .where(sql<boolean>`deleted_at < ${before * 1000}`)
          .limit(purgedAtOnce)
          .execute()
        if (rows.length === 0) return
        const seqs = rows.map(({ seq }) => seq)
        const scopes = rows.flatMap(({ project_id, domain_id }) => [project_id, domain_id])
        // One that came back meanwhile stays; those that did not are found again.
        await commitUnlessOvertaken(
          [
            ...demandUnchanged(rows),
            ...children.map((table) =>
              read.deleteFrom(table).where('server', 'in', seqs).compile(),
            ),
            read.deleteFrom('servers').where('seq', 'in', seqs).compile(),
          ],
          new Set(scopes),
        )
      }
    },
  }
}

const purgedAtOnce = 500
const children = ['server_documents', 'server_texts', 'server_tags', 'server_addresses'] as const
