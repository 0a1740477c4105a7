import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import { type DatabaseReader, type DatabaseWriter, type Statement, required } from '../database.ts'
import { countedWords, createCountStatements } from './counts.ts'
import { requireUnchanged } from './require-unchanged.ts'
import { chunk } from '../../domain/chunk.ts'
import { nextTurn } from '../../domain/next-turn.ts'
import { createInsertRows, createWriteRows } from '../insert-rows.ts'
import { createNumbers } from './numbers.ts'
import {
  addressRows,
  addWords,
  documentColumns,
  documentRow,
  keepsIndexRows,
  networkRows,
  resourceNameRows,
  prepareServer,
  serverColumns,
  serverRow,
  tagRows,
  textRow,
  type PreparedServer,
  type ServerEntry,
  stateOf,
} from './rows.ts'
import { createChildResources } from '../resources/child-resources.ts'
import { createChangeStatements, type ChangeCause } from '../history/change-statements.ts'
import { recordCommit } from '../history/commit-record.ts'
import { createReferencedResources } from '../resources/referenced-resources.ts'
import { createSearchStatements } from './search-index.ts'
import { createTextDictionary, type Codes } from './text-dictionary.ts'

/**
 * Requires that the projects of the written servers exist, and locks them until the commit. A
 * concurrent deletion either comes first, so that nothing is written, or finds the servers.
 */
function createHoldOwners({ engine, db }: DatabaseReader) {
  const lock = engine === 'postgres' ? sql`for key share` : sql``
  return function holdOwners(writes: readonly ServerWrite[]): Statement[] {
    const present = writes.filter(({ server }) => stateOf(server) < 2)
    const ids = [...new Set(present.map(({ server }) => server.project_id))]
    if (ids.length === 0) return []
    const held = sql`select id from projects where id in (${sql.join(ids)}) ${lock}`
    const check = sql`select 1 as one from (select count(*) as n from (${held}) as held) as owners where n = ${ids.length}`
    return [required(check.compile(db), 'owners')]
  }
}

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a < b ? -1 : 1

/** Compressing this many servers takes a few milliseconds. */
const prepareChunkSize = 64

const textColumns = ['server', 'text', 'starts']
const addressColumns = ['server', 'address', 'state']
const networkColumns = ['server', 'network', 'state']
const tagColumns = ['server', 'origin', 'key', 'value', 'state', 'vcpu_count', 'vmem_size', 'disk']

interface Copy {
  /** The numbers of the servers in the original. */
  seqOf(id: string): number | undefined
}

/**
 * Builds the statements of one commit that write servers, their documents, their indexes and their changes. A copy of the
 * past has no changes, and can have servers of projects that no longer exist.
 */
export function createWriteStatements(database: DatabaseReader & DatabaseWriter, copy?: Copy) {
  const { db } = database
  const isCopy = copy !== undefined
  const takeNumbers = createNumbers(database)
  const codesOf = createTextDictionary(database, takeNumbers)
  const searchStatements = createSearchStatements(database)
  const countStatements = createCountStatements(database)
  const holdOwners = createHoldOwners(database)
  const writeServers = createWriteRows(database, 'servers', serverColumns, ['seq'])
  const writeDocuments = createWriteRows(database, 'server_documents', documentColumns, ['server'])
  const writeTexts = createWriteRows(database, 'server_texts', textColumns, ['server'])
  const insertTags = createInsertRows(database, 'server_tags', tagColumns, 'refuse')
  const insertAddresses = createInsertRows(database, 'server_addresses', addressColumns, 'refuse')
  const insertNetworks = createInsertRows(database, 'server_networks', networkColumns, 'refuse')
  const changeStatements = createChangeStatements(database)
  const childResources = createChildResources(database, isCopy)
  const referencedResources = createReferencedResources(database)
  const insertResourceNames = createInsertRows(
    database,
    'server_places',
    ['place', 'id', 'name'],
    'keep',
  )
  /** Names of regions, zones, hosts, accounts and managers that this process has written already. */
  const knownResourceNames = new Set<string>()

  const deleteFrom = (
    table: 'server_tags' | 'server_addresses' | 'server_networks',
    seqs: readonly number[],
  ) => db.deleteFrom(table).where('server', 'in', seqs).compile()

  function newResourceNames(entries: readonly ServerEntry[], codes: Codes) {
    const resourceNames = new Map<string, readonly (string | number)[]>()
    for (const entry of entries) {
      for (const row of resourceNameRows(entry, codes)) {
        const key = row.join()
        if (!knownResourceNames.has(key)) resourceNames.set(key, row)
      }
    }
    return resourceNames
  }

  function wordsOf(writes: readonly ServerWrite[]): ReadonlySet<string> {
    const words = new Set<string>()
    for (const { server, stored } of writes) {
      addWords(server, words)
      if (stored) for (const word of countedWords(stored.server)) words.add(word)
    }
    return words
  }

  /** In chunks, so that replies about numbers and words are processed meanwhile. */
  async function prepare(writes: readonly ServerWrite[]): Promise<PreparedServer[]> {
    const prepared: PreparedServer[] = []
    for (const piece of chunk(writes, prepareChunkSize)) {
      if (prepared.length > 0) await nextTurn()
      for (const write of piece) prepared.push(prepareServer(write))
    }
    return prepared
  }

  return async function writeStatements(
    all: readonly ServerWrite[],
    causes: ReadonlyMap<string, ChangeCause>,
    clock: Clock,
  ) {
    // Inserted in a fixed order, so that concurrent commits of the same new servers do not deadlock.
    const writes = all.toSorted((a, b) => (a.server.id < b.server.id ? -1 : 1))
    const stored = writes.map((write) => write.stored).filter((before) => before !== undefined)
    const highest = stored.reduce((most, { revision }) => Math.max(most, revision), 0)
    // Numbers and words are often reserved while the writer is busy with an earlier commit.
    const [prepared, numbers, codes] = await Promise.all([
      prepare(writes),
      takeNumbers({ server: isCopy ? 0 : writes.length - stored.length, revision: 1 }, highest),
      codesOf(wordsOf(writes)),
    ])
    let next = numbers.server
    const entries = prepared.map((server) => ({
      ...server,
      seq: server.write.stored?.seq ?? copy?.seqOf(server.write.server.id) ?? next++,
    }))
    const indexed = entries.filter((entry) => !keepsIndexRows(entry))
    const old = indexed.filter(({ write }) => write.stored).map(({ seq }) => seq)
    const added = entries.filter(({ write }) => !write.stored)
    const changed = entries.filter(({ write }) => write.stored)
    const toServer = (entry: ServerEntry) => serverRow(entry, numbers.revision, codes)
    const toDocument = (entry: ServerEntry) => documentRow(entry, numbers.revision)
    const resourceNames = newResourceNames(entries, codes)
    const referenced = await referencedResources(writes, isCopy ? undefined : numbers.revision)
    const changes = isCopy ? [] : changeStatements(entries, numbers.revision, codes, causes)
    const isRecorded = !isCopy && (changes.length > 0 || referenced.length > 0)
    const statements: Statement[] = [
      ...requireUnchanged(database, stored),
      ...[...chunk(old)].flatMap((piece) => [
        deleteFrom('server_tags', piece),
        deleteFrom('server_addresses', piece),
        deleteFrom('server_networks', piece),
      ]),
      ...writeServers(added.map(toServer), changed.map(toServer)),
      ...writeDocuments(added.map(toDocument), changed.map(toDocument)),
      ...writeTexts(added.map(textRow), indexed.filter(({ write }) => write.stored).map(textRow)),
      ...insertTags(indexed.flatMap((entry) => tagRows(entry, codes))),
      ...insertAddresses(indexed.flatMap(addressRows)),
      ...insertNetworks(indexed.flatMap((entry) => networkRows(entry, codes))),
      ...childResources(entries),
      ...changes,
      ...searchStatements(
        old,
        indexed.filter(({ state }) => state === 0).map(({ seq }) => seq),
      ),
      // Rows that commits of other accounts write too come last, because they stay locked until the end.
      ...(isCopy ? [] : holdOwners(writes)),
      ...insertResourceNames([...resourceNames.entries()].toSorted(byText).map(([, row]) => row)),
      ...countStatements(writes, codes),
      ...referenced,
    ]
    return {
      statements,
      /** Run when the commit has its version. */
      serialized: isRecorded ? recordCommit(database, numbers.revision, clock()) : [],
      /** Call it after the commit. */
      onWritten(): void {
        for (const key of resourceNames.keys()) knownResourceNames.add(key)
      },
    }
  }
}
