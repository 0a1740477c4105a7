import { sql, type Kysely } from 'kysely'
import { policyFlags } from '../registry/policy-flags.ts'
import {
  withCreatedAt,
  withEnabled,
  withId,
  withName,
  withOwner,
  withText,
} from './column-types.ts'

interface PolicyRows {
  policies: { id: string; rules: string; allows_all: number; forbids: number }
}

/** Fills the new columns of existing policies, which are derived from the rules. */
async function fillPolicyFacts(db: Kysely<unknown>): Promise<void> {
  const policies = db as Kysely<PolicyRows>
  for (const { id, rules } of await policies
    .selectFrom('policies')
    .select(['id', 'rules'])
    .execute()) {
    await policies.updateTable('policies').set(policyFlags(rules)).where('id', '=', id).execute()
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  for (const table of ['users', 'groups']) {
    await schema
      .alterTable(table)
      .addColumn('description', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  }

  for (const fact of ['allows_all', 'forbids']) {
    await schema
      .alterTable('policies')
      .addColumn(fact, 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
  await fillPolicyFacts(db)

  await schema
    .createTable('access_keys')
    .$call(withId)
    .$call(withName)
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('project_id', 'text', (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .$call(withEnabled)
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .$call((table) => withText(table, 'last_used_ip'))
    .$call(withCreatedAt)
    .execute()
  for (const column of ['user_id', 'project_id']) {
    await schema.createIndex(`access_keys_${column}`).on('access_keys').column(column).execute()
  }

  await schema
    .createTable('identity_providers')
    .$call(withId)
    .$call(withName)
    .addColumn('driver', 'text', (column) => column.notNull().check(sql`driver in ('cas')`))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('service_url', 'text', (column) => column.notNull())
    .addColumn('protocol', 'integer', (column) => column.notNull().check(sql`protocol in (2, 3)`))
    .$call(withOwner)
    .$call(withEnabled)
    .$call((table) => withText(table, 'ca'))
    .addColumn('mapping', 'text', (column) => column.notNull())
    .$call(withCreatedAt)
    .addUniqueConstraint('identity_providers_name', ['name_key'])
    .execute()
  await schema
    .createIndex('identity_providers_domain')
    .on('identity_providers')
    .column('domain_id')
    .execute()

  // The user of each subject of a provider. A provider may reuse a name; the subject never changes.
  await schema
    .createTable('subjects')
    .addColumn('provider_id', 'text', (column) =>
      column.notNull().references('identity_providers.id').onDelete('cascade'),
    )
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('subjects_key', ['provider_id', 'subject'])
    .execute()
  await schema.createIndex('subjects_user').on('subjects').column('user_id').execute()

  for (const table of ['assignments', 'tokens']) {
    await schema
      .alterTable(table)
      .addColumn('provider_id', 'text', (column) =>
        column.references('identity_providers.id').onDelete('cascade'),
      )
      .execute()
    await schema
      .createIndex(`${table}_provider`)
      .on(table)
      .column('provider_id')
      .where(sql.ref('provider_id'), 'is not', null)
      .execute()
  }
  await schema
    .createIndex('tokens_access_key')
    .on('tokens')
    .column('access_key_id')
    .where(sql.ref('access_key_id'), 'is not', null)
    .execute()

  await schema
    .createTable('spent')
    .$call(withId)
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('spent_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('spent_age').on('spent').column('spent_at').execute()

  // No foreign keys: events outlive the users and resources that they are about.
  const texts = [
    'action',
    'target_type',
    'target_id',
    'target_name',
    'user_id',
    'user_name',
    'project_id',
    'domain_id',
    'ip',
    'request_id',
    'result',
    'changes',
  ]
  const events = schema
    .createTable('events')
    .$call(withId)
    .addColumn('time', 'bigint', (column) => column.notNull())
  await texts
    .reduce(
      (table, column) => table.addColumn(column, 'text', (definition) => definition.notNull()),
      events,
    )
    .execute()
  for (const column of ['user_id', 'target_id', 'domain_id']) {
    await schema.createIndex(`events_${column}`).on('events').columns([column, 'id']).execute()
  }
}
