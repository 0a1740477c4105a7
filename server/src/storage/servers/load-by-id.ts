import type { ServerFinder, ServerParts } from '../../domain/inventory/ports.ts'
import { scopeIdOf, type ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader, Query } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'
import { selectDocuments, toParts } from './documents.ts'

interface Wanted {
  readonly id: string
  readonly owner: string
  readonly state: number
}

type Owned = Exclude<ScopeOrNone, { kind: 'none' }>

/** The column that restricts a query to the scope of the caller. */
const columns = { system: undefined, domain: 'domain_id', project: 'project_id' } as const

/** A query for one server that is compiled once. */
function createQueryForOne({ db }: DatabaseReader) {
  const whole = selectDocuments(db)
  const template = (column: (typeof columns)[Owned['kind']]) =>
    createStatementTemplate<Wanted>(['id', 'owner', 'state'], ({ id, owner, state }) => {
      const one = whole
        .where('server', '=', (eb) => eb.selectFrom('servers').select('seq').where('id', '=', id))
        .where('state', '<=', state)
      return (column ? one.where(column, '=', owner) : one).compile()
    })
  const templates = {
    system: template(undefined),
    domain: template('domain_id'),
    project: template('project_id'),
  }
  return (scope: Owned, id: string, state: number): Query =>
    templates[scope.kind]({ id, owner: scopeIdOf(scope) ?? '', state })
}

interface Batch {
  readonly ids: Set<string>
  readonly found: Promise<ReadonlyMap<string, ServerParts>>
}

/** Concurrent requests with the same scope share one round trip to PostgreSQL. */
function createSharedLoad(database: DatabaseReader) {
  const whole = selectDocuments(database.db)
  const batches = new Map<string, Batch>()

  async function run(scope: Owned, ids: Set<string>, state: number) {
    const column = columns[scope.kind]
    const some = whole
      .where('server', 'in', (eb) =>
        eb
          .selectFrom('servers')
          .select('seq')
          .where('id', 'in', [...ids]),
      )
      .where('state', '<=', state)
    const query = column ? some.where(column, '=', scopeIdOf(scope) ?? '') : some
    const [rows = []] = await database.run([query.compile()], 'quick')
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
export function createLoadById(database: DatabaseReader): ServerFinder['loadById'] {
  const queryForOne = createQueryForOne(database)
  const loadShared = createSharedLoad(database)

  return async function loadById(scope, id, withDeleted) {
    if (scope.kind === 'none') return undefined
    const state = withDeleted ? 2 : 1
    if (database.engine === 'postgres') return await loadShared(scope, id, state)
    const [rows = []] = await database.run([queryForOne(scope, id, state)], 'quick')
    return toParts(rows)[0]
  }
}
