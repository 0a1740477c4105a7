import { administeredResources, derivedFields, type AdministeredResource } from '@muster/contract'
import { sql } from 'kysely'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { ListContext, Registry } from '../../domain/identity/administration/registry.ts'
import type { ResourceKind } from '../../domain/identity/administration/resources.ts'
import { nameKey } from '../../domain/name-key.ts'
import type { AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { createListRows, nameField, sqlFieldsOf } from '../list-rows.ts'
import { anyOf, everything, nothing, type Sql } from '../sql-parts.ts'
import { related } from './related-to.ts'
import { columnsOf, tableOf, toResource, type Row } from './resource-columns.ts'
import { visibleTo } from './row-visibility.ts'
import { attentionOf, type AttentionRule } from './service-account-attention.ts'

/** Finds and lists resources within the caller's scope. */
export function createResourceLists(
  database: DatabaseReader,
  rule: AttentionRule,
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
      columns: sql.join([
        ...columnsOf(kind).map((column) => sql.ref(column)),
        ...derivedFields(administeredResources[kind]).map(
          (name) => sql`${attentionOf(rule)} as ${sql.ref(name)}`,
        ),
      ]),
      from: sql.table(tableOf(kind)),
      conditions: [visibleTo(kind, authorizedScope), ...(relatedTo ? [related(relatedTo)] : [])],
      fields: {
        ...sqlFieldsOf(engine, queryFields, (field) => valueOf(kind, field, contacts, rule)),
        name: nameField(sql.ref('name'), sql.ref('name_key')),
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

    async isNameTaken(kind, name, owner) {
      const { uniqueName } = administeredResources[kind]
      const inOwner = owner === undefined ? everything : sql`${sql.ref(uniqueName)} = ${owner}`
      const { rows } =
        await sql`select id from ${sql.table(tableOf(kind))} where name_key = ${nameKey(name)} and ${inOwner} limit 1`.execute(
          db,
        )
      return rows.length > 0
    },
  }
}

/** Fields of users that not everybody sees who sees the user. */
const personal: ReadonlySet<string> = new Set(['email', 'mobile', 'last_login_at', 'attention'])

/** The expression of a field. Times are stored in milliseconds. */
function valueOf(
  kind: ResourceKind,
  name: string,
  contacts: ListContext['contacts'],
  rule: AttentionRule,
): Sql {
  const { fields }: AdministeredResource = administeredResources[kind]
  const field = fields[name]
  if (field?.notStored === 'constant') return sql`${sql.lit(field.default)}`
  if (typeof field?.notStored === 'object') return sql.ref(field.notStored.sameAs)
  const column = field?.notStored === 'derived' ? attentionOf(rule) : sql.ref(name)
  const value = field?.type === 'timestamp' ? sql`(${column} * 1000)` : column
  // Filters, search and sorting see no more than the response shows.
  if (kind === 'users' && contacts && personal.has(name)) {
    const hidden = name === 'last_login_at' ? sql`null` : sql`''`
    return sql`(case when ${anyOf(contacts.map(seesContacts))} then ${value} else ${hidden} end)`
  }
  if (field?.type === 'timestamp') return value
  return field?.default === null ? sql`coalesce(${column}, '')` : column
}

function seesContacts({ scope, self }: AuthorizedScope): Sql {
  const own = self === undefined ? nothing : sql`(id = ${self} or owner_id = ${self})`
  if (scope.kind === 'system') return everything
  return scope.kind === 'domain' ? anyOf([own, sql`domain_id = ${scope.domainId}`]) : own
}
