import type { AccountSync, CloudAccount, CloudProvider } from '@muster/contract'
import { timestamp, timestampOrNull } from '../timestamp.ts'
import { isDegraded, type AttachedAccount } from './account.ts'
import type { SettingField, SourceKind } from './source.ts'

function statusOf({ account, sync }: AttachedAccount): CloudAccount['status'] {
  if (!account.enabled) return 'disabled'
  if (sync.is_unreachable) return 'lost'
  if (sync.failures > 0) return 'disconnected'
  if (isDegraded(sync)) return 'degraded'
  return sync.finished_at === null ? 'init' : 'connected'
}

function stateOf({ account, sync }: AttachedAccount, now: number): AccountSync['state'] {
  if (!account.enabled) return 'idle'
  // With an expired lease the process is dead, whatever the row says.
  if (sync.is_running && sync.leased_until > now) return 'running'
  return sync.next_at <= now ? 'queued' : 'idle'
}

const noKey =
  'No node syncs this account. This node lacks a secret key that the database uses. See its log.'

/** An account in the shape of the API. `hasKeys` tells whether this node can read its credentials. */
export function describeAccount(
  attached: AttachedAccount,
  servers: number,
  now: number,
  hasKeys = true,
): CloudAccount {
  const { account, sync } = attached
  const isNotRun = account.enabled && !hasKeys && sync.leased_until <= now
  return {
    id: account.id,
    name: account.name,
    provider: account.provider,
    brand: account.brand,
    address: account.address,
    options: account.options as CloudAccount['options'],
    project_id: account.project_id,
    period: account.period,
    disappearance_hold: account.disappearance_hold,
    enabled: account.enabled,
    access: account.access,
    max_actions: account.max_actions,
    request_timeout: account.request_timeout,
    mapping: [...account.mapping],
    status: statusOf(attached),
    servers,
    created_at: timestamp(account.created_at),
    sync: {
      state: stateOf(attached, now),
      started_at: timestampOrNull(sync.started_at),
      finished_at: timestampOrNull(sync.finished_at),
      duration_ms: sync.duration_ms,
      seen: sync.seen,
      created: sync.created,
      changed: sync.changed,
      gone: sync.gone,
      error: isNotRun ? noKey : sync.error,
      error_field: isNotRun ? '' : sync.error_field,
      failing_since: timestampOrNull(sync.failing_since),
      warnings: sync.warnings.map((warning) => ({
        ...warning,
        until: timestampOrNull(warning.until),
      })),
      next_at: account.enabled ? timestamp(Math.max(sync.next_at, now)) : null,
    },
  }
}

const describeField =
  (isSecretByDefault: boolean) =>
  ({ name, type, isRequired, isLong = false, isSecret, description }: SettingField) => ({
    name,
    type,
    required: isRequired,
    long: isLong,
    secret: isSecret ?? isSecretByDefault,
    description,
  })

export const describeKind = (kind: SourceKind): CloudProvider => ({
  provider: kind.provider,
  title: kind.title,
  description: kind.description,
  address: {
    required: kind.address.isRequired,
    description: kind.address.description,
    example: kind.address.example,
  },
  credentials: kind.credentials.map(describeField(true)),
  options: kind.options.map(describeField(false)),
  rights: kind.rights.map(({ title, text }) => ({ title, text })),
  actions: [...(kind.acting?.actions ?? [])],
  action_rights: (kind.acting?.rights ?? []).map(({ title, text }) => ({ title, text })),
  period: kind.period,
  events: kind.hasEvents,
})
