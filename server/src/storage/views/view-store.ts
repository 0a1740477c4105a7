import { maxViewsPerUser, savedViews, type SavedView } from '@muster/contract'
import { sql } from 'kysely'
import { nameKey } from '../../domain/name-key.ts'
import type { ScopeOrNone, AuthorizedScope } from '../../domain/scope.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import type { ViewStore, WriteResult } from '../../domain/views/ports.ts'
import type { ViewRecord } from '../../domain/views/view-record.ts'
import { required, type DatabaseReader, type DatabaseWriter, type Statements } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { createListRows, nameField, sqlFieldsOf, type SqlField } from '../list-rows.ts'
import { allOf, anyOf, everything, nothing, type Sql } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'

type Row = Tables['views'] & { readonly user_name: string; readonly domain_id: string | null }

const toView = (row: Row): ViewRecord => ({
  id: row.id,
  name: row.name,
  resource: row.resource as SavedView['resource'],
  q: row.q,
  columns: JSON.parse(row.columns) as string[],
  order_by: JSON.parse(row.order_by) as string[],
  order: row.direction as SavedView['order'],
  group_by: row.group_by,
  scope: row.scope as SavedView['scope'],
  sharing: row.sharing as SavedView['sharing'],
  user_id: row.user_id,
  user: row.user_name,
  project_id: row.project_id ?? '',
  domain_id: row.domain_id ?? '',
  created_at: row.created_at,
  updated_at: row.updated_at,
  revision: row.revision,
})

const viewFields: QueryFields<string> = queryFieldsOf(savedViews)

/** The columns that an update may change. */
const changeable = (view: ViewRecord) => ({
  name: view.name,
  name_key: nameKey(view.name),
  q: view.q,
  columns: JSON.stringify(view.columns),
  order_by: JSON.stringify(view.order_by),
  direction: view.order,
  group_by: view.group_by,
  scope: view.scope,
  sharing: view.sharing,
  updated_at: view.updated_at,
  revision: view.revision,
})

/** The caller's own views, and those shared within the scope. */
function visibleTo({ self, scope }: AuthorizedScope): Sql {
  const own = self === undefined ? nothing : sql`views.user_id = ${self}`
  return anyOf([own, allOf([sql`views.sharing = 'project'`, within(scope)])])
}

function within(scope: ScopeOrNone): Sql {
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return sql`projects.domain_id = ${scope.domainId}`
    case 'project':
      return sql`views.project_id = ${scope.projectId}`
    case 'none':
      return nothing
  }
}

const room = 'room'

/** Stores saved views. Each change is committed with its audit event. */
export function createViewStore(database: DatabaseReader & DatabaseWriter): ViewStore {
  const { db, engine } = database
  const insertEvent = createInsertEvent(db)
  const listRows = createListRows(database)
  const fields: Readonly<Record<string, SqlField>> = {
    ...sqlFieldsOf(engine, viewFields, (field) => {
      if (viewFields.kinds[field] === 'timestamp') return sql`(${sql.ref(`views.${field}`)} * 1000)`
      if (field === 'project_id') return sql`coalesce(views.project_id, '')`
      if (field === 'user') return sql.ref('users.name')
      return sql.ref(`views.${field === 'order' ? 'direction' : field}`)
    }),
    name: nameField(sql.ref('views.name'), sql.ref('views.name_key')),
  }

  const matching = (conditions: readonly Sql[]) =>
    db
      .selectFrom('views')
      .innerJoin('users', 'users.id', 'views.user_id')
      .leftJoin('projects', 'projects.id', 'views.project_id')
      .where(sql<boolean>`${allOf(conditions)}`)

  const select = (conditions: readonly Sql[]) =>
    matching(conditions)
      .selectAll('views')
      .select(['users.name as user_name', 'projects.domain_id as domain_id'])

  async function commit(statements: Statements): Promise<WriteResult> {
    try {
      await database.commit(statements)
      return 'done'
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      if (error.kind === 'unique') return 'name-taken'
      return error.reason === room ? 'full' : 'changed'
    }
  }

  /** On PostgreSQL the lock on the user's row makes concurrent inserts count one after another. */
  function requireRoom(userId: string): Statements {
    const user = db.selectFrom('users').select('id').where('id', '=', userId)
    const isRoom = sql`select 1 as one where (select count(*) from views where user_id = ${userId}) < ${maxViewsPerUser}`
    return [
      ...(engine === 'postgres' ? [user.forUpdate().compile()] : []),
      required(isRoom.compile(db), room),
    ]
  }

  return {
    async list(authorizedScope, { within: scope, requester, ...query }) {
      const source = {
        columns: sql`views.*, users.name as user_name, projects.domain_id as domain_id`,
        from: sql`views inner join users on users.id = views.user_id left join projects on projects.id = views.project_id`,
        conditions: [visibleTo(authorizedScope), within(scope)],
        fields,
        searched: viewFields.searched,
        id: sql.ref('views.id'),
      }
      const toItem = (row: object) => toView(row as Row)
      return await listRows(source, query, toItem, { requester })
    },

    async find(authorizedScope, id) {
      const row = await select([
        visibleTo(authorizedScope),
        sql`views.id = ${id}`,
      ]).executeTakeFirst()
      return row && toView(row)
    },

    insert: (view, event) =>
      commit([
        ...requireRoom(view.user_id),
        db
          .insertInto('views')
          .values({
            id: view.id,
            resource: view.resource,
            user_id: view.user_id,
            project_id: view.project_id === '' ? null : view.project_id,
            created_at: view.created_at,
            ...changeable(view),
          })
          .compile(),
        insertEvent(event),
      ]),

    update(before, after, event) {
      const update = db
        .updateTable('views')
        .set(changeable(after))
        .where('id', '=', before.id)
        .where('revision', '=', before.revision)
      return commit([required(update.compile(), 'revision'), insertEvent(event)])
    },

    remove(view, event) {
      const remove = db
        .deleteFrom('views')
        .where('id', '=', view.id)
        .where('revision', '=', view.revision)
      return commit([required(remove.compile(), 'revision'), insertEvent(event)])
    },
  }
}
