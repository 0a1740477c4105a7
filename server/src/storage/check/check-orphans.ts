import { sql } from 'kysely'
import { childKinds } from '../../domain/inventory/kinds.ts'
import { countWrongRows, type Check, type WrongRows } from './check.ts'

/** `not exists`, because PostgreSQL compares a large `not in` row by row. */
const without = (table: string, column: string, parent: string, key: string) =>
  sql`select count(*) as count from ${sql.table(table)} as child where not exists (
    select 1 from ${sql.table(parent)} as parent
    where ${sql.ref(`parent.${key}`)} = ${sql.ref(`child.${column}`)})`

/** Values that servers share are codes of the text dictionary. */
const ownedByNobody = (column: string, parent: string) =>
  sql`select count(*) as count from servers where ${sql.ref(column)} in (
    select ${sql.ref(column)} from servers except
    select code from words join ${sql.table(parent)} on id = word)`

const partsOfServers = [
  'server_documents',
  'server_texts',
  'server_tags',
  'server_addresses',
  'server_networks',
  'sightings',
  ...childKinds,
]

/** Relations without a foreign key, because it would slow down the sync of servers. */
const relations: WrongRows = {
  ...Object.fromEntries(
    partsOfServers.map((table) => [
      `rows of ${table} without their server`,
      without(table, 'server', 'servers', 'seq'),
    ]),
  ),
  'changes without their commit': without(
    'server_changes',
    'revision',
    'change_commits',
    'revision',
  ),
  'changes of resources without their commit': without(
    'resource_changes',
    'revision',
    'change_commits',
    'revision',
  ),
  'changes of a server that is not known': sql`select count(*) as count from server_changes
    where not exists (select 1 from servers where seq = server)
    and not exists (
      select 1 from former_servers where former_servers.server = server_changes.server)`,
  'servers without a document': without('servers', 'seq', 'server_documents', 'server'),
  'servers with a document of another version': sql`select count(*) as count from servers
    join server_documents on server = seq where server_documents.id <> servers.id
    or server_documents.revision <> servers.revision or server_documents.state <> servers.state`,
  'servers in a project that does not exist': ownedByNobody('project_id', 'projects'),
  'servers in a domain that does not exist': ownedByNobody('domain_id', 'domains'),
  'rows of sightings without their account': without(
    'sightings',
    'account_id',
    'cloudaccounts',
    'id',
  ),
}

/** Counts rows whose parent is gone. */
export const checkOrphans: Check = async (db) => ({
  checked: `${Object.keys(relations).length} relations`,
  problems: await countWrongRows(db, relations),
})
