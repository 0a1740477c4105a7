import type { Check, CheckSeverity, CloudAccount } from '@muster/contract'
import { freshnessOf, needsAttention, type Freshness } from '../../servers/freshness.ts'

interface Known {
  readonly checks: readonly Check[]
  readonly accounts: readonly CloudAccount[]
  readonly failedServers: number
  readonly failedTasks: number
  /** Logins of break-glass users with a password that others cannot use. */
  readonly breakGlassLogins: number
  /** Service accounts without an owner, or unused. */
  readonly serviceAccounts: number
}

/** Something that somebody should look at. */
export type Attention = { readonly severity: CheckSeverity } & (
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'account'; readonly account: CloudAccount; readonly freshness: Freshness }
  | { readonly kind: 'servers' | 'tasks' | 'logins' | 'programs'; readonly count: number }
)

const severities: readonly CheckSeverity[] = ['critical', 'warning', 'info']
const kinds: readonly Attention['kind'][] = [
  'check',
  'account',
  'servers',
  'tasks',
  'logins',
  'programs',
]

/** The accounts themselves are listed, so the built-in check of them says nothing new. */
const isOfAccounts = ({ id }: Check) => /^c0+9$/.test(id)

const countOf = (item: Attention) => (item.kind === 'check' ? item.check.violations : 0)

/** What needs attention, the most severe first. */
export function attentionOf(
  { checks, accounts, failedServers, failedTasks, breakGlassLogins, serviceAccounts }: Known,
  now: number,
): readonly Attention[] {
  const violated = checks.filter(
    (check) => check.violations > 0 && !(isOfAccounts(check) && accounts.length > 0),
  )
  const items: Attention[] = violated.map((check) => ({
    kind: 'check',
    severity: check.severity,
    check,
  }))
  for (const account of accounts) {
    const freshness = freshnessOf(account, now)
    if (!needsAttention(freshness)) continue
    const isDown = freshness === 'lost' || freshness === 'disconnected'
    items.push({ kind: 'account', severity: isDown ? 'critical' : 'warning', account, freshness })
  }
  if (failedServers > 0) items.push({ kind: 'servers', severity: 'critical', count: failedServers })
  if (failedTasks > 0) items.push({ kind: 'tasks', severity: 'warning', count: failedTasks })
  if (breakGlassLogins > 0) {
    items.push({ kind: 'logins', severity: 'warning', count: breakGlassLogins })
  }
  if (serviceAccounts > 0) {
    items.push({ kind: 'programs', severity: 'info', count: serviceAccounts })
  }
  return items.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      countOf(b) - countOf(a),
  )
}
