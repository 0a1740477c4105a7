import { sql, type Kysely } from 'kysely'
import { compact, engineOf } from './engine.ts'

const words = [
  'account',
  'account_id',
  'backup_host_id',
  'backup_host_name',
  'backup_host_status',
  'billing_cycle',
  'billing_type',
  'bios',
  'boot_order',
  'brand',
  'cdrom',
  'cloud_env',
  'cloudregion_id',
  'domain_id',
  'eip_mode',
  'environment',
  'flavor_id',
  'host',
  'host_id',
  'host_service_status',
  'host_sn',
  'host_status',
  'host_type',
  'hypervisor',
  'instance_type',
  'keypair',
  'keypair_id',
  'machine',
  'manager',
  'manager_domain_id',
  'manager_id',
  'manager_project_id',
  'os_name',
  'os_type',
  'project_id',
  'project_src',
  'provider',
  'region',
  'region_ext_id',
  'region_external_id',
  'scaling_group_id',
  'scaling_status',
  'secgroup',
  'secgrp_id',
  'security_rules',
  'shutdown_behavior',
  'vdi',
  'vga',
  'vpc',
  'vpc_id',
  'zone',
  'zone_ext_id',
  'zone_id',
]

const flags = [
  'auto_renew',
  'can_recycle',
  'cdrom_support',
  'deleted',
  'disable_delete',
  'is_emulated',
  'is_gpu',
  'is_prepaid_recycle',
  'is_system',
  'pending_deleted',
  'src_ip_check',
  'src_mac_check',
]

const moments = [
  'attach_time',
  'auto_delete_at',
  'created_at',
  'deleted_at',
  'expired_at',
  'pending_deleted_at',
  'updated_at',
]

const numbers = ['disk', 'disk_count', 'update_version', 'vcpu_count', 'vmem_size']

const texts = [
  'description',
  'disks',
  'eip',
  'external_id',
  'ips',
  'name',
  'networks',
  'virtual_ips',
]

/** Columns for filters, sorting and counts. Responses come from `server_documents` instead. */
async function createServers({ schema }: Kysely<unknown>): Promise<void> {
  let table = schema
    .createTable('servers')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    // Early in the row: a scan reads a row from its start.
    .addColumn('status', 'text', (column) => column.notNull())
  for (const name of [...words, ...flags]) {
    table = table.addColumn(name, 'integer', (column) => column.notNull())
  }
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull())
  for (const name of moments) table = table.addColumn(name, 'bigint')
  for (const name of texts) {
    // NULL if the folded form equals the text.
    table = table
      .addColumn(name, 'text', (column) => column.notNull())
      .addColumn(`${name}_folded`, 'text')
  }
  await table.execute()
}

/** Runs a statement that may fail without failing the migration. */
async function attempt(db: Kysely<unknown>, statement: string): Promise<void> {
  await sql`savepoint attempt`.execute(db)
  try {
    await sql.raw(statement).execute(db)
  } catch {
    await sql`rollback to savepoint attempt`.execute(db)
  }
}

/** A trigram index. Without it a search reads all servers. */
async function createSearchIndex(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'sqlite') {
    await sql`create virtual table server_search using fts5(text, starts, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`.execute(
      db,
    )
    return
  }
  await attempt(db, 'create extension if not exists pg_trgm')
}

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('words')
    .addColumn('code', 'integer', (column) => column.primaryKey())
    .addColumn('word', 'text', (column) => column.notNull())
    .addColumn('folded', 'text', (column) => column.notNull())
    .execute()
  // A B-tree index of PostgreSQL rejects texts longer than a third of a page, such as long tags.
  await (
    engineOf(db) === 'postgres'
      ? sql`alter table words add constraint words_word_key exclude using hash (word with =)`
      : sql`create unique index words_word_key on words (word)`
  ).execute(db)
  await createServers(db)
  await schema
    .createTable('server_documents')
    .addColumn('server', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('domain_id', 'text', (column) => column.notNull())
    .addColumn('manager_project_id', 'text', (column) => column.notNull())
    .addColumn('facts_digest', 'text', (column) => column.notNull())
    .addColumn('document_digest', 'text', (column) => column.notNull())
    .addColumn('summary_digest', 'text', (column) => column.notNull())
    .addColumn('metadata_digest', 'text', (column) => column.notNull())
    .addColumn('admin_group', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('server_texts')
    .addColumn('server', 'integer', (column) => column.primaryKey())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('starts', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('server_tags')
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('origin', 'integer', (column) => column.notNull())
    .addColumn('key', 'integer', (column) => column.notNull())
    .addColumn('value', 'integer', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addColumn('vcpu_count', 'bigint', (column) => column.notNull())
    .addColumn('vmem_size', 'bigint', (column) => column.notNull())
    .addColumn('disk', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_tags_key', ['server', 'origin', 'key'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createTable('server_addresses')
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_addresses_key', ['server', 'address'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createTable('server_places')
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('id', 'integer', (column) => column.notNull())
    .addColumn('name', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_places_key', ['place', 'name', 'id'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createTable('server_counts')
    .addColumn('facet', 'text', (column) => column.notNull())
    .addColumn('project_id', 'integer', (column) => column.notNull())
    .addColumn('value', 'integer', (column) => column.notNull())
    .addColumn('domain_id', 'integer', (column) => column.notNull())
    .addColumn('servers', 'bigint', (column) => column.notNull())
    .addColumn('vcpu_count', 'bigint', (column) => column.notNull())
    .addColumn('vmem_size', 'bigint', (column) => column.notNull())
    .addColumn('disk', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_counts_key', ['facet', 'project_id', 'value'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createTable('fleet_version')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into fleet_version (id, version) values (1, 0)`.execute(db)
  // The next free numbers of servers, words and writes.
  await schema
    .createTable('fleet_numbers')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('word', 'integer', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into fleet_numbers (id, server, word, revision) values (1, 1, 1, 1)`.execute(db)
  await schema
    .createTable('scope_versions')
    .addColumn('scope', 'text', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute()
  await createSearchIndex(db)
}
