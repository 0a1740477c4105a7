import type { Account, AttachedAccount, SyncRecord } from '../../domain/sources/account.ts'
import { nameKey } from '../../domain/name-key.ts'
import { toInteger } from '../boolean.ts'
import type { Tables } from '../tables.ts'

type AccountRow = Omit<Tables['cloudaccounts'], 'credentials'>
type SyncRow = Tables['account_syncs']

export function toAccountRow(account: Partial<Account>): Partial<AccountRow> {
  const { name, options, mapping, enabled, isBeingDeleted, ...unchanged } = account
  return {
    ...unchanged,
    ...(name !== undefined && { name, name_key: nameKey(name) }),
    ...(options !== undefined && { options: JSON.stringify(options) }),
    ...(mapping !== undefined && { mapping: JSON.stringify(mapping) }),
    ...(enabled !== undefined && { enabled: toInteger(enabled) }),
    ...(isBeingDeleted !== undefined && { leaving: toInteger(isBeingDeleted) }),
  }
}

export function toSyncRow(sync: Partial<SyncRecord>): Partial<SyncRow> {
  const { is_running, is_unreachable, warnings, ...unchanged } = sync
  return {
    ...unchanged,
    ...(is_running !== undefined && { is_running: toInteger(is_running) }),
    ...(is_unreachable !== undefined && { is_lost: toInteger(is_unreachable) }),
    ...(warnings !== undefined && { warnings: JSON.stringify(warnings) }),
  }
}

export const toAttached = (row: AccountRow & SyncRow): AttachedAccount => ({
  account: {
    id: row.id,
    name: row.name,
    provider: row.provider,
    brand: row.brand,
    address: row.address,
    options: JSON.parse(row.options) as Account['options'],
    project_id: row.project_id,
    period: row.period,
    disappearance_hold: row.disappearance_hold,
    enabled: row.enabled === 1,
    access: row.access as Account['access'],
    max_actions: row.max_actions,
    request_timeout: row.request_timeout,
    mapping: JSON.parse(row.mapping) as Account['mapping'],
    created_at: row.created_at,
    revision: row.revision,
    isBeingDeleted: row.leaving === 1,
  },
  sync: {
    runner: row.runner,
    leased_until: row.leased_until,
    is_running: row.is_running === 1,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration_ms: row.duration_ms,
    seen: row.seen,
    created: row.created,
    changed: row.changed,
    gone: row.gone,
    error: row.error,
    error_field: row.error_field as SyncRecord['error_field'],
    failing_since: row.failing_since,
    failures: row.failures,
    next_at: row.next_at,
    answered_at: row.answered_at,
    is_unreachable: row.is_lost === 1,
    mapped_revision: row.mapped_revision,
    warnings: JSON.parse(row.warnings) as SyncRecord['warnings'],
    confirmed_gone: row.confirmed_gone,
  },
})
