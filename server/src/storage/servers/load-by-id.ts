import { sql } from 'kysely'
import { retryOnConflict } from '../../domain/retry-on-conflict.ts'
import type { ServerFinder, ServerParts } from '../../domain/inventory/ports.ts'
import { scopeIdOf, type ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader, Query } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'
import { selectDocuments, toParts, type LoadDocuments } from './server-list/load-documents.ts'

interface Wanted {
  /** On SQLite one id, on PostgreSQL an array. */
  readonly ids: unknown
  readonly owner: string
  readonly state: number
}

type Owned = Exclude<ScopeOrNone, { kind: 'none' }>

/** A query for servers by id, compiled once. On SQLite it reads the revision: the document may be cached. */
function createQueryFor({ db, engine }: DatabaseReader) {
  const servers =
    engine === 'postgres'
      ? selectDocuments(db)
      : db.selectFrom('server_documents').select(['server', 'revision'])
  const isWanted = (ids: unknown) =>
    engine === 'postgres'
      ? // An array: PostgreSQL takes twice as long to plan a join.
        sql<boolean>`server = any(array(select seq from servers where id = any(${ids})))`
      : sql<boolean>`server = (select seq from servers where id = ${ids})`
  /** The column isolates tenants: a server of another project or domain is not found. */
  const template = (column?: 'domain_id' | 'project_id') =>
    createStatementTemplate<Wanted>(['ids', 'owner', 'state'], ({ ids, owner, state }) => {
      const wanted = servers.where(isWanted(ids)).where('state', '<=', state)
      return (column ? wanted.where(column, '=', owner) : wanted).compile()
    })
  const templates = {
    system: template(),
    domain: template('domain_id'),
    project: template('project_id'),
  }
  return (scope: Owned, ids: unknown, state: number): Query =>
    templates[scope.kind]({ ids, owner: scopeIdOf(scope) ?? '', state })
}
type QueryFor = ReturnType<typeof createQueryFor>

interface Batch {
  readonly ids: Set<string>
  readonly found: Promise<ReadonlyMap<string, ServerParts>>
}

/** Concurrent requests with the same scope share one round trip to PostgreSQL. */
function createSharedLoad(database: DatabaseReader, queryFor: QueryFor) {
  const batches = new Map<string, Batch>()

  async function run(scope: Owned, ids: Set<string>, state: number) {
    const [rows = []] = await database.run([queryFor(scope, [...ids], state)], 'quick')
    return new Map(toParts(rows).map((parts) => [parts.id, parts]))
  }

  return async function load(scope: Owned, id: string, state: number) {
    const key = `${scope.kind} ${scopeIdOf(scope)} ${state}`
    let batch = batches.get(key)
    if (!batch) {
      const ids = new Set<string>()
      const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        batches.delete(key)
        return run(scope, ids, state)
      })
      batch = { ids, found }
      batches.set(key, batch)
    }
    batch.ids.add(id)
    return (await batch.found).get(id)
  }
}

/** Reads one server by its id, if it is in the scope of the caller. */
export function createLoadById(
  database: DatabaseReader,
  load: LoadDocuments,
): ServerFinder['loadById'] {
  const queryFor = createQueryFor(database)
  const loadShared = createSharedLoad(database, queryFor)

  return async function loadById(scope, id, withDeleted) {
    if (scope.kind === 'none') return undefined
    const state = withDeleted ? 2 : 1
    if (database.engine === 'postgres') return await loadShared(scope, id, state)
    const { parts } = await retryOnConflict(async () => {
      const [[row] = []] = await database.run([queryFor(scope, id, state)], 'quick')
      if (!row) return { parts: undefined }
      const found = { seq: Number(row['server']), revision: Number(row['revision']) }
      const loaded = await load([found])
      return loaded && { parts: loaded[0] }
    })
    return parts
  }
}
