import { expressionBuilder, sql } from 'kysely'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { ListContext, Registry } from '../../domain/identity/administration/registry.ts'
import type { ResourceKind } from '../../domain/identity/administration/resources.ts'
import { nameKey } from '../../domain/name-key.ts'
import type { AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { createListRows, namedBy, sqlFieldsOf } from '../list-rows.ts'
import { anyOf, everything, nothing, type Sql } from '../sql-parts.ts'
import { related } from './related-to.ts'
import { columnsOf, tableOf, toResource, type Row } from './resource-columns.ts'
import { visibleTo, type AnyTables } from './row-visibility.ts'

const eb = expressionBuilder<AnyTables, string>()

/** Finds and lists resources within the caller's scope. */
export function createResourceLists(
  database: DatabaseReader,
): Pick<Registry, 'list' | 'find' | 'isNameTaken'> {
  const { db, engine } = database
  const listRows = createListRows(database)

  const sourceOf = (
    kind: ResourceKind,
    authorizedScope: AuthorizedScope,
    { relatedTo, contacts }: ListContext = {},
  ) => {
    const queryFields = queryFieldsByKind[kind]
    return {
      columns: sql.join(columnsOf(kind).map((column) => sql.ref(column))),
      from: sql.table(tableOf(kind)),
      conditions: [
        sql`${visibleTo(eb, kind, authorizedScope)}`,
        ...(relatedTo ? [sql`${related(eb, relatedTo)}`] : []),
      ],
      fields: {
        ...sqlFieldsOf(engine, queryFields, (field) =>
          valueOf(field, queryFields.kinds[field] === 'timestamp', contacts),
        ),
        name: namedBy(sql.ref('name'), sql.ref('name_key')),
      },
      searched: queryFields.searched,
      id: sql.ref('id'),
    }
  }

  return {
    async list(kind, authorizedScope, query, context) {
      const source = sourceOf(kind, authorizedScope, context)
      const { requester } = context ?? {}
      return await listRows(source, query, (row) => toResource(kind, row as Row), { requester })
    },

    async find(kind, id, authorizedScope) {
      const { columns, from, conditions } = sourceOf(kind, authorizedScope)
      const { rows } =
        await sql<Row>`select ${columns} from ${from} where id = ${id} and ${conditions[0]}`.execute(
          db,
        )
      return rows[0] && toResource(kind, rows[0])
    },

    async isNameTaken(kind, name, domainId) {
      const inDomain = domainId === undefined ? everything : sql`domain_id = ${domainId}`
      const { rows } =
        await sql`select id from ${sql.table(tableOf(kind))} where name_key = ${nameKey(name)} and ${inDomain} limit 1`.execute(
          db,
        )
      return rows.length > 0
    },
  }
}

/** The expression of a field. Times are stored in milliseconds. */
function valueOf(field: string, isTimestamp: boolean, contacts: ListContext['contacts']): Sql {
  if (isTimestamp) return sql`(${sql.ref(field)} * 1000)`
  switch (field) {
    case 'parent_id':
      return sql.ref('domain_id')
    case 'type':
      return sql`'aksk'`
    case 'default_project_id':
      return sql`coalesce(default_project_id, '')`
    case 'email':
    case 'mobile':
      // Filters, search and sorting see no more than the response shows.
      return contacts
        ? sql`(case when ${anyOf(contacts.map(seesContacts))} then ${sql.ref(field)} else '' end)`
        : sql.ref(field)
    default:
      return sql.ref(field)
  }
}

function seesContacts({ scope, self }: AuthorizedScope): Sql {
  const own = self === undefined ? nothing : sql`id = ${self}`
  if (scope.kind === 'system') return everything
  return scope.kind === 'domain' ? anyOf([own, sql`domain_id = ${scope.domainId}`]) : own
}
