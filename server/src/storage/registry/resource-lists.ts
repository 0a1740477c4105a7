import { sql, type Kysely } from 'kysely'
import { badField } from '../../domain/error.ts'
import type {
  RelatedTo,
  ListQuery,
  Page,
  Registry,
} from '../../domain/identity/administration/registry.ts'
import type { ResourceKind, Resources } from '../../domain/identity/administration/resources.ts'
import { nameKey } from '../../domain/name-key.ts'
import type { AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { related } from './related-to.ts'
import { columnsOf, tableOf, toResource, type Cell } from './resource-columns.ts'
import { readMarker, writeMarker, type Position } from './list-marker.ts'
import { visibleTo, type AnyTables, type Builder } from './row-visibility.ts'

/** Finds and lists resources within the caller's scope. */
export function createResourceLists(
  database: DatabaseReader,
): Pick<Registry, 'list' | 'find' | 'isNameTaken'> {
  const db = database.db as unknown as Kysely<AnyTables>

  /** Text sorts by code point on both engines, whatever the database's collation is. */
  const sortable = (column: string) =>
    database.engine === 'postgres' && column === 'name'
      ? sql<Cell>`${sql.ref(column)} collate "C"`
      : sql<Cell>`${sql.ref(column)}`

  const within = (kind: ResourceKind, authorizedScope: AuthorizedScope) =>
    db
      .selectFrom(tableOf(kind))
      .select(columnsOf(kind))
      .where((eb) => visibleTo(eb as Builder, kind, authorizedScope))

  const withinRelation = (
    kind: ResourceKind,
    authorizedScope: AuthorizedScope,
    relatedTo: RelatedTo | undefined,
  ) => {
    const select = within(kind, authorizedScope)
    return relatedTo ? select.where((eb) => related(eb as Builder, relatedTo)) : select
  }

  /** The position of a marker, which is one of ours or the id of a visible resource. */
  async function findPosition(
    kind: ResourceKind,
    authorizedScope: AuthorizedScope,
    query: ListQuery,
    relatedTo: RelatedTo | undefined,
  ): Promise<Position | undefined> {
    const { marker, sortKey } = query
    if (marker === undefined) return undefined
    const position = readMarker(marker, query)
    if (position) return position
    const row = await withinRelation(kind, authorizedScope, relatedTo)
      .where('id', '=', marker)
      .executeTakeFirst()
    if (!row) throw badField('marker', 'does not exist in this list. Start from the first page.')
    return { value: row[sortKey] ?? '', id: marker }
  }

  async function list<K extends ResourceKind>(
    kind: K,
    authorizedScope: AuthorizedScope,
    query: ListQuery,
    relatedTo?: RelatedTo,
  ): Promise<Page<Resources[K]>> {
    const { sortKey, descending, limit, filters } = query
    const direction = descending ? 'desc' : 'asc'
    const position = await findPosition(kind, authorizedScope, query, relatedTo)
    let select = withinRelation(kind, authorizedScope, relatedTo)
    for (const [name, value] of Object.entries(filters)) {
      const { column, cell } = toFilter(name, value)
      select = select.where(column, '=', cell)
    }
    if (position) {
      const beyond = sql.raw(descending ? '<' : '>')
      const key = sortable(sortKey)
      select = select.where(
        sql<boolean>`(${key} ${beyond} ${position.value} or (${key} = ${position.value} and id ${beyond} ${position.id}))`,
      )
    }
    const rows = await select
      .orderBy(sortable(sortKey), direction)
      .orderBy('id', direction)
      .limit(limit + 1)
      .offset(query.offset)
      .execute()
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const hasMore = rows.length > limit && last !== undefined
    return {
      items: shown.map((row) => toResource(kind, row)),
      next: hasMore
        ? writeMarker(query, { value: last[sortKey] ?? '', id: String(last['id']) })
        : undefined,
    }
  }

  return {
    list,

    async find(kind, id, authorizedScope) {
      const row = await within(kind, authorizedScope).where('id', '=', id).executeTakeFirst()
      return row && toResource(kind, row)
    },

    async isNameTaken(kind, name, domainId) {
      let select = db.selectFrom(tableOf(kind)).select('id').where('name_key', '=', nameKey(name))
      if (domainId !== undefined) select = select.where('domain_id', '=', domainId)
      return (await select.executeTakeFirst()) !== undefined
    },
  }
}

/** Names match in any spelling. */
function toFilter(name: string, value: string | boolean): { column: string; cell: Cell } {
  if (name === 'name') return { column: 'name_key', cell: nameKey(String(value)) }
  return { column: name, cell: typeof value === 'boolean' ? Number(value) : value }
}
