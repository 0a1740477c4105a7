import { sql, type Kysely } from 'kysely'
import {
  withCreatedAt,
  withEnabled,
  withId,
  withName,
  withOwner,
  withReference,
  withText,
} from './column-types.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db

  await schema
    .createTable('settings')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()

  await schema
    .createTable('identity_version')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into identity_version (id, version) values (1, 0)`.execute(db)

  await schema
    .createTable('domains')
    .$call(withId)
    .$call(withName)
    .$call((table) => withText(table, 'description'))
    .$call(withEnabled)
    .$call(withCreatedAt)
    .addUniqueConstraint('domains_name', ['name_key'])
    .execute()

  await schema
    .createTable('projects')
    .$call(withId)
    .$call(withOwner)
    .$call(withName)
    .$call((table) => withText(table, 'description'))
    .$call(withEnabled)
    .$call(withCreatedAt)
    .addUniqueConstraint('projects_name', ['domain_id', 'name_key'])
    .execute()

  await schema
    .createTable('users')
    .$call(withId)
    .$call(withOwner)
    .$call(withName)
    .$call((table) => withText(table, 'displayname'))
    .$call((table) => withText(table, 'email'))
    .$call((table) => withText(table, 'mobile'))
    .$call(withEnabled)
    .addColumn('password_hash', 'text')
    .addColumn('password_expires_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('default_project_id', 'text', (column) =>
      column.references('projects.id').onDelete('set null'),
    )
    .$call(withCreatedAt)
    .addUniqueConstraint('users_name', ['domain_id', 'name_key'])
    .execute()
  await schema
    .createIndex('users_default_project')
    .on('users')
    .column('default_project_id')
    .execute()

  await schema
    .createTable('groups')
    .$call(withId)
    .$call(withOwner)
    .$call(withName)
    .$call(withCreatedAt)
    .addUniqueConstraint('groups_name', ['domain_id', 'name_key'])
    .execute()

  await schema
    .createTable('group_members')
    .addColumn('group_id', 'text', (column) =>
      column.notNull().references('groups.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('group_members_key', ['group_id', 'user_id'])
    .execute()
  await schema.createIndex('group_members_user').on('group_members').column('user_id').execute()

  await schema
    .createTable('roles')
    .$call(withId)
    .$call(withOwner)
    .$call(withName)
    .$call((table) => withText(table, 'description'))
    .$call(withCreatedAt)
    .addUniqueConstraint('roles_name', ['name_key'])
    .execute()

  await schema
    .createTable('policies')
    .$call(withId)
    .$call(withName)
    .addColumn('scope', 'text', (column) =>
      column.notNull().check(sql`scope in ('system', 'domain', 'project')`),
    )
    .$call(withEnabled)
    .addColumn('rules', 'text', (column) => column.notNull())
    .$call(withCreatedAt)
    .addUniqueConstraint('policies_name', ['name_key'])
    .execute()

  await schema
    .createTable('role_policies')
    .addColumn('role_id', 'text', (column) =>
      column.notNull().references('roles.id').onDelete('cascade'),
    )
    .addColumn('policy_id', 'text', (column) =>
      column.notNull().references('policies.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('role_policies_key', ['role_id', 'policy_id'])
    .execute()
  await schema.createIndex('role_policies_policy').on('role_policies').column('policy_id').execute()

  await schema
    .createTable('assignments')
    .$call(withId)
    .addColumn('role_id', 'text', (column) =>
      column.notNull().references('roles.id').onDelete('cascade'),
    )
    .$call((table) => withReference(table, 'user_id', 'users.id'))
    .$call((table) => withReference(table, 'group_id', 'groups.id'))
    .$call((table) => withReference(table, 'project_id', 'projects.id'))
    .$call((table) => withReference(table, 'domain_id', 'domains.id'))
    .addCheckConstraint('assignments_one_holder', sql`(user_id is null) <> (group_id is null)`)
    .addCheckConstraint('assignments_one_target', sql`project_id is null or domain_id is null`)
    .execute()
  await sql`create unique index assignments_once on assignments (
    role_id, coalesce(user_id, ''), coalesce(group_id, ''), coalesce(project_id, ''), coalesce(domain_id, '')
  )`.execute(db)
  for (const column of ['user_id', 'group_id', 'project_id', 'domain_id']) {
    await schema
      .createIndex(`assignments_${column}`)
      .on('assignments')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute()
  }

  // Revoking a token deletes its row, and the foreign key deletes the tokens issued from it. A child
  // that is inserted at the same time is deleted too, or its insert fails, on both engines.
  await schema
    .createTable('tokens')
    .$call(withId)
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .$call((table) => withReference(table, 'project_id', 'projects.id'))
    .$call((table) => withReference(table, 'domain_id', 'domains.id'))
    .addColumn('method', 'text', (column) => column.notNull())
    .$call((table) => withReference(table, 'parent_id', 'tokens.id'))
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('issued_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('access_key_id', 'text')
    .addColumn('access_key_expires_at', 'bigint')
    .execute()
  await schema.createIndex('tokens_user').on('tokens').column('user_id').execute()
  await schema.createIndex('tokens_expiry').on('tokens').column('expires_at').execute()
  for (const column of ['parent_id', 'project_id', 'domain_id']) {
    await schema
      .createIndex(`tokens_${column}`)
      .on('tokens')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute()
  }

  await schema
    .createTable('login_attempts')
    .addColumn('bucket', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('pending', 'integer', (column) => column.notNull())
    .addColumn('pending_at', 'bigint', (column) => column.notNull())
    .addColumn('blocked_until', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('login_attempts_age').on('login_attempts').column('pending_at').execute()

  await schema
    .createTable('login_origins')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('login_origins_key', ['account', 'address'])
    .execute()
  await schema.createIndex('login_origins_age').on('login_origins').column('last_at').execute()
}
