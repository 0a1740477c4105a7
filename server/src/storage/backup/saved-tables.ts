import { administeredKinds } from '@muster/contract'
import { inventoryKinds } from '../../domain/inventory/kinds.ts'
import { tableOf } from '../registry/resource-columns.ts'
import type { Tables } from '../tables.ts'

const areSaved = <Name extends keyof Tables>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>

/**
 * Whether a backup has the rows of a table. In the order in which rows can be inserted: a table comes
 * after those that its foreign keys name.
 */
const tables: Readonly<Record<keyof Tables, boolean>> = {
  settings: true,
  identity_version: true,
  // First, because the other resources refer to domains.
  ...areSaved(['domains']),
  ...areSaved(administeredKinds.map(tableOf)),
  group_members: true,
  role_policies: true,
  assignments: true,
  subjects: true,
  factors: true,
  recovery_codes: true,
  // A restored token, session or link could be one that was revoked after the backup.
  tokens: false,
  sessions: false,
  password_links: false,
  spent: true,
  events: true,
  event_sinks: true,
  change_sinks: true,
  former_events: true,
  event_deliveries: false,
  login_attempts: true,
  login_origins: true,
  views: true,
  checks: true,
  check_violations: true,
  tasks: true,
  batches: true,
  batch_refusals: true,
  idempotency_keys: true,
  // A restored ticket could be one that was used after the backup.
  action_tickets: false,
  recycle_bin: true,
  cloudaccounts: true,
  account_syncs: true,
  account_sync_runs: true,
  account_observations: true,
  account_gaps: true,
  source_state: true,
  server_keys: true,
  words: true,
  servers: true,
  server_documents: true,
  server_rendering: true,
  server_texts: true,
  server_tags: true,
  server_addresses: true,
  server_networks: true,
  server_places: true,
  server_counts: true,
  server_combinations: true,
  change_commits: true,
  server_changes: true,
  resource_changes: true,
  former_servers: true,
  ...areSaved(inventoryKinds),
  sightings: true,
  resource_sightings: true,
  fleet_version: true,
  fleet_numbers: true,
  fleet_days: true,
  scope_versions: true,
}

export const allTables = Object.keys(tables) as (keyof Tables)[]

export const savedTables = allTables.filter((name) => tables[name])
