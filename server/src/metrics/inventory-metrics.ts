import { isDegraded, type AttachedAccount } from '../domain/sources/account.ts'
import type { StoredCounts } from '../storage/stored-counts.ts'
import { byLabel, single, type Metric, type Sample } from './metric.ts'

/** What is stored, as of the last refresh. */
export interface Stored extends StoredCounts {
  readonly accounts: readonly AttachedAccount[]
}

/** More series than this would be a burden for Prometheus; the counts by state include all accounts. */
const maxAccounts = 500

function stateOf({ account, sync }: AttachedAccount): string {
  if (account.isBeingDeleted) return 'deleting'
  if (!account.enabled) return 'disabled'
  if (sync.is_unreachable) return 'unreachable'
  if (sync.failures > 0) return 'failing'
  if (isDegraded(sync)) return 'degraded'
  return sync.finished_at === null ? 'new' : 'ok'
}

const noAccounts = {
  ok: 0,
  new: 0,
  degraded: 0,
  failing: 0,
  unreachable: 0,
  disabled: 0,
  deleting: 0,
}

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = { ...noAccounts }
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/**
 * Metrics of cloud accounts, servers, tasks, checks, tokens and sessions. Without a current value, a family is left
 * out.
 */
export function createInventoryMetrics(read: () => Stored | undefined): readonly Metric[] {
  const forEachAccount =
    (valueOf: (attached: AttachedAccount) => number | undefined) => (): Sample[] =>
      (read()?.accounts ?? []).slice(0, maxAccounts).flatMap((attached) => {
        const { id, name, provider } = attached.account
        const value = valueOf(attached)
        const labels = { account_id: id, account: name, provider }
        return value === undefined ? [] : [{ labels, value }]
      })
  const labels = ['account_id', 'account', 'provider']
  return [
    {
      name: 'muster_accounts',
      type: 'gauge',
      help: 'Cloud accounts by state: ok, new (no complete scan yet), degraded (a region or a service fails), failing, unreachable, disabled or deleting.',
      labels: ['state'],
      read() {
        const stored = read()
        return stored ? byLabel('state', countBy(stored.accounts.map(stateOf))) : []
      },
    },
    {
      name: 'muster_accounts_omitted',
      type: 'gauge',
      help: 'Accounts that have no series of their own, because there are more than 500.',
      read() {
        const stored = read()
        return single(stored && Math.max(0, stored.accounts.length - maxAccounts))
      },
    },
    {
      name: 'muster_account_enabled',
      type: 'gauge',
      help: '1 for an account that is scanned, 0 for one that is disabled or being deleted.',
      labels,
      read: forEachAccount(({ account }) => (account.enabled && !account.isBeingDeleted ? 1 : 0)),
    },
    {
      name: 'muster_account_last_scan_timestamp_seconds',
      type: 'gauge',
      help: 'When the last complete scan ended, in seconds since 1970.',
      labels,
      read: forEachAccount(({ sync }) =>
        sync.finished_at === null ? undefined : sync.finished_at / 1_000,
      ),
    },
    {
      name: 'muster_account_scan_period_seconds',
      type: 'gauge',
      help: 'Time between complete scans.',
      labels,
      read: forEachAccount(({ account }) => account.period),
    },
    {
      name: 'muster_account_scan_duration_seconds',
      type: 'gauge',
      help: 'How long the last complete scan took.',
      labels,
      read: forEachAccount(({ sync }) =>
        sync.finished_at === null ? undefined : sync.duration_ms / 1_000,
      ),
    },
    {
      name: 'muster_account_servers_seen',
      type: 'gauge',
      help: 'Servers that the last scan has seen; during a scan, those seen so far.',
      labels,
      read: forEachAccount(({ sync }) => sync.seen),
    },
    {
      name: 'muster_account_failures',
      type: 'gauge',
      help: 'Failed scans in a row. 0 after a complete scan.',
      labels,
      read: forEachAccount(({ sync }) => sync.failures),
    },
    {
      name: 'muster_account_warnings',
      type: 'gauge',
      help: 'Warnings of the last scan, such as servers that could not be read.',
      labels,
      read: forEachAccount(({ sync }) => sync.warnings.length),
    },
    {
      name: 'muster_servers',
      type: 'gauge',
      help: 'Servers in use, by provider and status.',
      labels: ['provider', 'status'],
      read: () =>
        (read()?.servers ?? []).map(({ provider, status, count }) => ({
          labels: { provider, status },
          value: count,
        })),
    },
    {
      name: 'muster_tasks',
      type: 'gauge',
      help: 'Actions on servers that have not ended, by status: queued or running.',
      labels: ['status'],
      read() {
        const stored = read()
        return stored ? byLabel('status', stored.tasks) : []
      },
    },
    {
      name: 'muster_check_violations',
      type: 'gauge',
      help: 'Open violations of checks, by severity: info, warning or critical.',
      labels: ['severity'],
      read() {
        const stored = read()
        return stored ? byLabel('severity', stored.violations) : []
      },
    },
    {
      name: 'muster_service_accounts',
      type: 'gauge',
      help: 'Enabled service accounts, by what to look at: ownerless, unused or ok.',
      labels: ['attention'],
      read() {
        const stored = read()
        return stored ? byLabel('attention', stored.serviceAccounts) : []
      },
    },
    {
      name: 'muster_checks_evaluated_timestamp_seconds',
      type: 'gauge',
      help: 'When checks were last evaluated, in seconds since 1970.',
      read() {
        const at = read()?.evaluatedAt ?? null
        return single(at === null ? undefined : at / 1_000)
      },
    },
    {
      name: 'muster_tokens',
      type: 'gauge',
      help: 'Tokens that have not expired.',
      read: () => single(read()?.tokens),
    },
    {
      name: 'muster_sessions',
      type: 'gauge',
      help: 'Sessions of browsers that have not ended.',
      read: () => single(read()?.sessions),
    },
  ]
}
